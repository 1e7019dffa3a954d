import { afterEach, describe, expect, it } from 'vitest';
import type { FaultyAnswer } from '../../services/sandbox/faults/fault-rules.ts';
import type { EngineConfigFile } from '../e2e/engine-config.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { undisturbed } from './support/neighbours.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';

const segment = 'lapsed-riders';
/** This segment has more batches than the shard of the bad campaign keeps ready at first. */
const largeSegment = 'all-riders';
const slots = 40;
/** Seconds after which the test stops waiting for a campaign. */
const longestSeconds = 30;
const rounds = 3;

function withSlots(config: EngineConfigFile): EngineConfigFile {
  return {
    ...config,
    segmentation: { ...config.segmentation, pageSize: 1000 },
    actionTypes: Object.fromEntries(
      Object.entries(config.actionTypes).map(([name, type]) => [name, { ...type, concurrency: slots }]),
    ),
  };
}

/** I8: the calls of one campaign fail because of its parameters, beside a healthy campaign of the same shard. */
describe('row 77: a campaign that the endpoint fails', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function start(without?: FaultControl): Promise<void> {
    trial = await startTrial({
      workers: 1,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=30000,${largeSegment}=60000`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_POINTS_LATENCY_MS: '150',
      },
      engine: { WORKER_CONCURRENCY: String(2 * slots) },
      configure: withSlots,
      ...(without && { without }),
    });
  }

  const run = (params: Record<string, string>, of: string) =>
    trial.muster.api.run({ name: 'c', countries: ['SG'], segment: of, chain: [{ action: 'award-points', params }] });

  /** Starts a campaign that gets this answer from its tenth call on; a healthy campaign for null. */
  async function startOther(rewardId: string, answer: FaultyAnswer | null, of = segment): Promise<string> {
    const other = await run({ rewardId }, of);
    await trial.awaitCalls(other, 1, 10);
    if (answer) {
      await trial.switchFaults({ calls: [{ name: 'badly', params: { rewardId }, answer }] });
      await until('the fault is felt', async () => ((await trial.faultHits())['badly'] ?? 0) >= 3);
    }
    return other;
  }

  /** Runs a healthy campaign. Returns the seconds until 99 % of its users are served. */
  async function runHealthy(of = segment): Promise<{ healthy: string; seconds: number }> {
    const healthy = await run({}, of);
    const seconds = await trial.awaitEnd(healthy, longestSeconds * 1000).then(
      () => trial.servedWithin(healthy, 1, 0.99),
      () => Number.POSITIVE_INFINITY,
    );
    return { healthy, seconds };
  }

  /**
   * Returns the time of the quickest of three rounds beside a healthy campaign, because foreign load only adds time.
   */
  async function withHealthy(of = segment): Promise<number> {
    let quickest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const other = await startOther('healthy', null, of);
      quickest = Math.min(quickest, (await runHealthy(of)).seconds);
      await trial.awaitEnd(other);
    }
    return quickest;
  }

  const failing: FaultyAnswer = { kind: 'status', status: 500, applied: false };
  const hanging: FaultyAnswer = { kind: 'hang', applied: false, appliedAfterMs: 0 };

  /**
   * Runs three healthy campaigns beside one that gets this answer. Afterwards the endpoint is repaired, and the bad
   * campaign ends too.
   */
  async function compareNeighbours(name: string, answer: FaultyAnswer, without: number, of = segment): Promise<void> {
    const other = await startOther(name, answer, of);
    const healthyRuns = [];
    for (let round = 0; round < rounds; round++) healthyRuns.push(await runHealthy(of));
    await trial.switchFaults();
    const quickest = Math.min(...healthyRuns.map(({ seconds }) => seconds));
    for (const { healthy, seconds } of healthyRuns) {
      const measured = { 'neighbour s': seconds, 'without s': without };
      const verdict = { rows: '77', scenario: `beside one that ${name}`, segment: of, measured };
      expect(await trial.judge(healthy, verdict)).toEqual([]);
    }
    expect(quickest, name).toBeLessThanOrEqual(undisturbed(without));
    // The endpoint works again.
    await trial.awaitEnd(other, 60_000);
    expect(await trial.judge(other, { rows: '77', scenario: `${name}, mended`, segment: of })).toEqual([]);
  }

  it('does not slow down another campaign, and recovers after the repair', async () => {
    await start();
    const without = await withHealthy();
    await compareNeighbours(
      'answers 429',
      { kind: 'status', status: 429, retryAfterSeconds: 5, applied: false },
      without,
    );
    await compareNeighbours('answers 500', failing, without);
  });

  it('does not slow down another campaign although its hanging calls fill the shard', async () => {
    await start();
    const without = await withHealthy(largeSegment);
    await compareNeighbours('hangs', hanging, without, largeSegment);
  });

  it('slows down another campaign if the shared breaker counts its failures (control)', async () => {
    await start(faultControls.feedsHaveGuards);
    const without = await withHealthy();
    await startOther('answers 500', failing);
    const { seconds } = await runHealthy();
    expect(seconds).toBeGreaterThan(undisturbed(without));
  });

  it('slows down another campaign if slots of hanging calls are not lent out (control)', async () => {
    await start(faultControls.hangsStayWithTheirFeed);
    const without = await withHealthy(largeSegment);
    await startOther('hangs', hanging, largeSegment);
    const { seconds } = await runHealthy(largeSegment);
    expect(seconds).toBeGreaterThan(undisturbed(without));
  });
});
