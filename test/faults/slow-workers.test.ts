import { afterEach, describe, expect, it } from 'vitest';
import { lasting } from './support/until.ts';
import { startTrial, type Trial } from './support/trial.ts';

const segment = 'lapsed-riders';
const latencyMs = 400;
const slots = 20;

/** The speed of a shard is the sum of its workers, whatever one of them does. */
describe('row 48: one slow worker among several', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function begin(second: Record<string, string>): Promise<void> {
    trial = await startTrial({
      workers: 1,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=80000`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_POINTS_MEMORY: 'none',
        SANDBOX_POINTS_LATENCY_MS: String(latencyMs),
      },
      countries: ['SG'],
      // Pages are large, so that feeding is faster than the calls that are measured.
      configure: (config) => ({ ...config, segmentation: { ...config.segmentation, pageSize: 1000 } }),
      engine: { WORKER_CONCURRENCY: String(slots) },
      engineOf: { 'worker-2': second },
    });
  }

  /** Measures batches per second of a run, from its first effect to the effect of 95 % of the batches. */
  async function rate(during?: (runId: string) => Promise<void>): Promise<{ runId: string; rate: number }> {
    const chain = [{ action: 'award-points', params: {} }];
    const runId = await trial.muster.api.run({ name: 'Rate', countries: ['SG'], segment, chain });
    await trial.awaitCalls(runId, 1, 20);
    await during?.(runId);
    await trial.awaitEnd(runId);
    const times = [...(await trial.ledger()).of(runId, 1).keys.values()]
      .flatMap(({ at }) => at.slice(0, 1))
      .map((at) => Date.parse(at))
      .toSorted((a, b) => a - b);
    const counted = Math.floor(times.length * 0.95);
    return { runId, rate: (1000 * counted) / ((times[counted - 1] ?? 0) - (times[0] ?? 0)) };
  }

  it('with a tenth of the slots, does not slow down the shard below the rate of the other worker alone', async () => {
    await begin({ WORKER_CONCURRENCY: String(slots / 10) });
    const alone = await rate();
    await trial.restart('worker-2');
    // The second worker starts, joins and opens its connections during a run that is not measured.
    await rate();
    const both = await rate();

    const measured = { 'batches/s': both.rate, 'one alone': alone.rate };
    const verdict = { rows: '48', scenario: 'a tenth of the slots', segment, measured };
    expect(await trial.judge(both.runId, verdict)).toEqual([]);
    expect(both.rate).toBeGreaterThanOrEqual(0.95 * 1.1 * alone.rate);
  });

  it('leaves the other worker at its rate if frozen for 8 s, and no key is called twice', async () => {
    await begin({});
    const alone = await rate();
    await trial.restart('worker-2');
    // The second worker starts, joins and opens its connections during a run that is not measured.
    await rate();
    const both = await rate(async (runId) => {
      await trial.awaitCalls(runId, 1, 100);
      trial.freeze('worker-2');
      const before = await trial.batchesCalled(runId, 1);
      const from = Date.now();
      await lasting(8000);
      const served = (await trial.batchesCalled(runId, 1)) - before;
      const meanwhile = (1000 * served) / (Date.now() - from);
      trial.thaw('worker-2');
      expect(meanwhile).toBeGreaterThanOrEqual(0.95 * alone.rate);
    });

    const measured = { 'batches/s': both.rate, 'one alone': alone.rate };
    // The session and the lease of the frozen worker have ended, so its calls in flight are in doubt.
    const allow = { appliedAgain: 2 * slots };
    const verdict = { rows: '48', scenario: 'frozen 8 s', segment, measured, allow };
    expect(await trial.judge(both.runId, verdict)).toEqual([]);
  });
});
