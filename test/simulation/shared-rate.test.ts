import { describe, expect, it } from 'vitest';
import { answerOf } from '../support/worker-fixture.ts';
import { batchesOf, startThreeWorkers, type SeenCall, type WitnessedCall } from './three-workers.ts';

const oneStep = { chain: [{ action: 'award-reward', params: {} }], deadlineSeconds: 86_400 };

function succeeded({ call }: SeenCall) {
  return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
}

/** Returns the highest sum of any second. */
function mostInASecond(calls: readonly WitnessedCall[], countOf: (call: WitnessedCall) => number): number {
  let most = 0;
  let sum = 0;
  let from = 0;
  for (const call of calls) {
    sum += countOf(call);
    while ((calls[from]?.beganAtMs ?? 0) <= call.beganAtMs - 1000) {
      const gone = calls[from++];
      if (gone) sum -= countOf(gone);
    }
    most = Math.max(most, sum);
  }
  return most;
}

describe('a rate limit shared by three workers', () => {
  const ratePerSecond = { calls: 60 };
  const type = { class: 'A', timeoutMs: 1000, concurrency: 50, ratePerSecond } as const;

  async function startRated(batches: number, rated: { calls?: number; users?: number } = ratePerSecond, users = 1) {
    const world = await startThreeWorkers({ type: { ...type, ratePerSecond: rated }, concurrency: 100 });
    world.endpoint.answer = async (seen) => {
      await world.clock.sleep(20);
      return succeeded(seen);
    };
    const run = await world.feed(batchesOf('u', batches, users), oneStep);
    return { ...world, run };
  }

  it('is used fully by all of them and never exceeded', async () => {
    const { clock, pass, run, calls, callsBetween } = await startRated(1500);
    const beganMs = clock.nowMs();
    await pass(20_000, [run.runId]);
    // Workers may save up a tenth of a second, and each may finish a call that it began to save for.
    expect(mostInASecond(calls, () => 1)).toBeLessThanOrEqual(60 + 6 + 3);
    const settled = callsBetween(beganMs + 5000, beganMs + 20_000);
    expect(settled.length).toBeGreaterThan(0.9 * 15 * 60);
    expect(settled.length).toBeLessThanOrEqual(15 * 60 + 9);
    expect(new Set(settled.map(({ worker }) => worker)).size).toBe(3);
  });

  it('is not exceeded when one worker dies and another starts, and is soon used fully again', async () => {
    const { clock, pass, run, calls, callsBetween, workers, start } = await startRated(3000);
    await pass(6000, [run.runId]);
    workers[0]?.kill();
    const killedMs = clock.nowMs();
    await pass(2000, [run.runId]);
    await start('d');
    await pass(12_000, [run.runId]);
    expect(mostInASecond(calls, () => 1)).toBeLessThanOrEqual(60 + 6 + 4);
    const after = callsBetween(killedMs + 8000, killedMs + 14_000);
    expect(after.length).toBeGreaterThan(0.9 * 6 * 60);
  });

  it('is not exceeded by a worker that was frozen with its share', async () => {
    const { pass, run, calls, workers } = await startRated(3000);
    await pass(6000, [run.runId]);
    const [frozen] = workers;
    if (frozen) frozen.fateOf = ({ method }) => (method === 'exchange' ? 'freeze-after' : 'pass');
    await pass(8000, [run.runId]);
    expect(frozen?.faults.frozen).toBe(true);
    if (frozen) frozen.fateOf = () => 'pass';
    frozen?.faults.thaw();
    await pass(6000, [run.runId]);
    expect(mostInASecond(calls, () => 1)).toBeLessThanOrEqual(60 + 6 + 3);
  });

  it('counts users if it is a limit of users', async () => {
    const { clock, pass, run, calls, callsBetween } = await startRated(600, { users: 3000 }, 100);
    const beganMs = clock.nowMs();
    await pass(12_000, [run.runId]);
    expect(mostInASecond(calls, ({ users }) => users)).toBeLessThanOrEqual(3000 + 300 + 300);
    const users = callsBetween(beganMs + 5000, beganMs + 12_000).reduce((sum, call) => sum + call.users, 0);
    expect(users).toBeGreaterThan(0.9 * 7 * 3000);
  });

  it('covers all countries of the action type and no other action type', async () => {
    const { clock, feed, pass, calls } = await startRated(1000);
    await feed(batchesOf('o', 1000), { ...oneStep, countries: ['ID'] });
    const beganMs = clock.nowMs();
    await pass(10_000);
    const late = calls.filter(({ beganAtMs }) => beganAtMs > beganMs + 5000);
    expect(mostInASecond(calls, () => 1)).toBeLessThanOrEqual(60 + 6 + 3);
    expect(late.filter(({ country }) => country === 'SG').length).toBeGreaterThan(100);
    expect(late.filter(({ country }) => country === 'ID').length).toBeGreaterThan(100);
  });
});
