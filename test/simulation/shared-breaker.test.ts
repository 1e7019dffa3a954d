import { describe, expect, it } from 'vitest';
import { slowStartCalls } from '../../shared/domain/endpoint/endpoint-guards.ts';
import { answerOf } from '../support/worker-fixture.ts';
import { batchesOf, refused, startThreeWorkers, type SeenCall } from './three-workers.ts';

const oneStep = { chain: [{ action: 'award-reward', params: {} }], deadlineSeconds: 86_400 };
const batches = 1000;
const type = { class: 'A', timeoutMs: 1000, concurrency: 50 } as const;

function succeeded({ call }: SeenCall) {
  return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
}

async function startDown() {
  const world = await startThreeWorkers({ type, concurrency: 100 });
  const { clock, endpoint } = world;
  let isDown = true;
  endpoint.answer = async (seen) => {
    if (isDown && seen.country === 'SG') return refused;
    await clock.sleep(50);
    return succeeded(seen);
  };
  const run = await world.feed(batchesOf('u', batches), oneStep);
  return { ...world, run, heal: () => (isDown = false) };
}

describe('three workers with a failing endpoint', () => {
  it('send one call at a time, rarely, and use no attempts', async () => {
    const { clock, run, pass, callsBetween, calls, stepRows, mostInFlight } = await startDown();
    const beganMs = clock.nowMs();
    await pass(5000, [run.runId]);
    expect(new Set(calls.map(({ worker }) => worker)).size).toBeGreaterThan(1);
    mostInFlight();
    await pass(115_000, [run.runId]);
    // Probes come at doubling intervals, up to a minute.
    const knocks = callsBetween(beganMs + 5000, beganMs + 120_000);
    expect(knocks.length).toBeGreaterThanOrEqual(3);
    expect(knocks.length).toBeLessThanOrEqual(12);
    expect(mostInFlight()).toBe(1);
    expect(stepRows(1).every(({ attempts, open }) => attempts === 0 && !open)).toBe(true);
    expect(stepRows(1).every(({ cause }) => cause === 'connection refused')).toBe(true);
  });

  it('send few calls if several campaigns use the endpoint, and serve all campaigns after its recovery', async () => {
    const { clock, feed, run, pass, heal, callsBetween } = await startDown();
    const others = [await feed(batchesOf('v', 300), oneStep), await feed(batchesOf('w', 300), oneStep)];
    const runIds = [run, ...others].map(({ runId }) => runId);
    const beganMs = clock.nowMs();
    await pass(120_000, runIds);
    // At most ten failures of each campaign on each worker, one direct call, and the probes.
    expect(callsBetween(beganMs, beganMs + 5000).length).toBeLessThanOrEqual(3 * 3 * 11);
    expect(callsBetween(beganMs + 5000, beganMs + 120_000).length).toBeLessThanOrEqual(12);
    heal();
    await pass(180_000, runIds);
    expect(others.map(({ totals }) => totals()[0]?.succeeded)).toEqual([300, 300]);
  });

  it('serve other endpoints without delay', async () => {
    const { feed, pass, run } = await startDown();
    await pass(3000, [run.runId]);
    const other = await feed(batchesOf('o', 600), { ...oneStep, countries: ['ID'] });
    await pass(3000);
    expect(other.totals()).toMatchObject([{ succeeded: 600 }]);
  });

  it('increase the calls after its recovery within the slow start, and reach full load within seconds', async () => {
    const { clock, run, pass, heal, calls, mostInFlight } = await startDown();
    await pass(20_000, [run.runId]);
    heal();
    const before = calls.length;
    while (calls.length === before) await pass(100, [run.runId]);
    // The answer to the probe comes one call duration after its beginning.
    const closedAtMs = (calls.at(-1)?.beganAtMs ?? 0) + 50;
    mostInFlight();
    const seen: number[] = [];
    const allowed: number[] = [];
    for (let second = 1; second <= 4; second++) {
      await pass(closedAtMs + second * 1000 - clock.nowMs(), [run.runId]);
      seen.push(mostInFlight());
      allowed.push(slowStartCalls(second * 1000));
    }
    // Each of the three workers rounds its share up.
    for (const [index, most] of seen.entries()) expect(most).toBeLessThanOrEqual((allowed[index] ?? 0) + 3);
    expect(seen[3]).toBeGreaterThan(10);
    await pass(30_000, [run.runId]);
    expect(run.totals()).toMatchObject([{ succeeded: batches }]);
  });

  it('pass the probe on if its worker freezes, and ignore that worker when it continues', async () => {
    const { run, pass, heal, workers, calls, database } = await startDown();
    await pass(5000, [run.runId]);
    // The worker that begins the next probe freezes during it.
    for (const worker of workers) worker.fateOf = ({ method }) => (method === 'call' ? 'freeze-before' : 'pass');
    while (!workers.some(({ faults }) => faults.frozen)) await pass(500, [run.runId]);
    for (const worker of workers) worker.fateOf = () => 'pass';
    const frozen = workers.find(({ faults }) => faults.frozen);
    const guard = () => [...database.guards.values()][0];
    expect(guard()).toMatchObject({ state: 'open', probeOwner: frozen?.name });
    heal();
    const before = calls.length;
    // 3 s to begin the probe, 1 s for the call, 2 s to report. After that, any worker may take the probe.
    await pass(9000, [run.runId]);
    expect(calls.slice(before).some(({ worker }) => worker !== frozen?.name)).toBe(true);
    expect(guard()?.state).toBe('closed');
    frozen?.faults.thaw();
    await pass(90_000, [run.runId]);
    expect(guard()?.state).toBe('closed');
    expect(run.totals()).toMatchObject([{ succeeded: batches }]);
  });

  it('each protect the endpoint separately while the breaker store is unavailable', async () => {
    const { clock, run, pass, workers, callsBetween } = await startDown();
    const asks = new Set(['read', 'open', 'takeProbe', 'endProbe']);
    for (const worker of workers) worker.fateOf = ({ method }) => (asks.has(method) ? 'throw-before' : 'pass');
    const beganMs = clock.nowMs();
    await pass(60_000, [run.runId]);
    const knocks = callsBetween(beganMs + 5000, beganMs + 60_000);
    expect(knocks.length).toBeGreaterThan(3);
    expect(knocks.length).toBeLessThanOrEqual(3 * 10);
  });
});
