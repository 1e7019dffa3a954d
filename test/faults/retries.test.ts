import { afterEach, describe, expect, it } from 'vitest';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import type { FaultSettings } from '../../services/sandbox/faults/fault-rules.ts';
import { startTrial, type Trial } from './support/trial.ts';

const segment = 'lapsed-riders';
const batches = 500;
const users = 100 * batches;
/** Number of slots, so low that the duration of calls limits the speed, not the machine. */
const slots = 20;
/**
 * The agenda offers a timed step a third of the lease after its due time. The lease is long, so that a busy machine
 * does not look like a crash.
 */
const leaseMs = 30_000;
/** Number of references that the sweeper may publish nevertheless. */
const offeredAtMost = 0.05 * batches;

const laterForAll: FaultSettings = {
  calls: [{ name: 'later', firstTries: true, answer: { kind: 'fail-users', code: 'later', retryable: true } }],
};

/**
 * Counts the steps that return to the worker that recorded them, without the sweeper.
 * services/worker/intake/timed-steps.test.ts proves the rate with retries, with a settable clock.
 */
describe('row 54: one retry for every user of every batch', () => {
  let trial: Trial;
  let metricsUrl: string;
  afterEach(() => trial.end());

  async function begin(without?: FaultControl): Promise<void> {
    const [port = 0] = await findFreePorts(1);
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
    trial = await startTrial({
      workers: 1,
      countries: ['SG'],
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=${users}`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_POINTS_LATENCY_MS: '100-200',
      },
      engine: { WORKER_CONCURRENCY: String(slots), WORKER_LEASE_MS: String(leaseMs) },
      engineOf: { trigger: { HEALTH_PORT: String(port) } },
      configure: (config) => ({ ...config, segmentation: { ...config.segmentation, pageSize: 1000 } }),
      ...(without && { without }),
    });
  }

  async function run(name: string): Promise<string> {
    const chain = [{ action: 'award-points', params: {} }];
    const runId = await trial.muster.api.run({ name, countries: ['SG'], segment, chain });
    await trial.awaitEnd(runId, 150_000);
    return runId;
  }

  /** References that the sweeper has published since the trigger began. */
  async function offered(): Promise<number> {
    const metrics = await (await fetch(metricsUrl)).text();
    const match = /^muster_trigger_references_offered_again_total(?:\{[^}]*\})? (\d+)$/m.exec(metrics);
    return Number(match?.[1] ?? 0);
  }

  async function callsOf(runId: string): Promise<{ calls: number; perSecond: number }> {
    const keys = [...(await trial.ledger()).of(runId, 1).keys.values()];
    const at = keys.flatMap((key) => key.at.map((time) => Date.parse(time))).toSorted((a, b) => a - b);
    const [first = 0, last = 0] = [at.at(0), at.at(-1)];
    return { calls: at.length, perSecond: (1000 * at.length) / (last - first) };
  }

  interface Counted {
    runId: string;
    measured: Record<string, number>;
    offeredAgain: number;
  }

  async function withRetries(): Promise<Counted> {
    const before = await offered();
    await trial.switchFaults(laterForAll);
    const runId = await run('Tried again');
    await trial.switchFaults();
    const offeredAgain = (await offered()) - before;
    const { calls, perSecond } = await callsOf(runId);
    const retries = calls - batches;
    const queued = (retries - offeredAgain) / retries;
    const measured = { retries, 'queued by their worker': queued, 'calls/s': perSecond };
    return { runId, offeredAgain, measured };
  }

  it('is queued by its worker and hardly by the sweeper, and no user is lost', async () => {
    await begin();
    const without = await callsOf(await run('Tried once'));
    const { runId, offeredAgain, measured } = await withRetries();

    const { perSecond } = without;
    const figures = { ...measured, 'without /s': perSecond, ratio: (measured['calls/s'] ?? 0) / perSecond };
    const verdict = { rows: '54', scenario: 'all to be tried again', segment, measured: figures };
    expect(await trial.judge(runId, verdict)).toEqual([]);
    expect(measured['retries']).toBe(batches);
    expect(offeredAgain).toBeLessThanOrEqual(offeredAtMost);
  });

  it('is offered by the sweeper for each user if workers queue no retries (control)', async () => {
    await begin(faultControls.retriesComeBack);
    const { runId, offeredAgain, measured } = await withRetries();

    const verdict = { rows: '54', scenario: 'tried again by the sweeper', segment, measured };
    expect(await trial.judge(runId, verdict)).toEqual([]);
    expect(offeredAgain).toBeGreaterThanOrEqual(batches);
  });
});
