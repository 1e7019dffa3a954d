import { afterEach, describe, expect, it } from 'vitest';
import { pauseRun, resumeRun } from '../../sdk/generated/sdk.gen.ts';
import { lastCallSentWithinMs } from '../../shared/domain/run/run-control.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { delayAnswers } from './support/postgres-wire.ts';
import { startProxyBefore, type ProxyBefore } from './support/proxy-before.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';
const slots = 20;
const latencyMs = 200;
/** Duration for which calls are counted. */
const countedMs = 8000;
/** Time from a worker's check to the line in the ledger, on a busy machine. */
const onItsWayMs = latencyMs + 250;
/** Statement that workers send before calls: states, deadlines and holds of the runs that they serve. */
const isLook = (sql: string) => sql.includes('as "deadlineInMs", h.holds');

describe('row 51: slow queries of run states', () => {
  let trial: Trial;
  let proxy: ProxyBefore | undefined;
  let reads: ReturnType<typeof delayAnswers>;
  let lookMs = 0;
  afterEach(async () => {
    await trial.end();
    await proxy?.close();
  });

  async function begin(without?: FaultControl): Promise<string> {
    lookMs = 0;
    reads = delayAnswers(isLook, () => lookMs);
    trial = await startTrial({
      workers: 1,
      countries: ['SG'],
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=300000`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_POINTS_LATENCY_MS: String(latencyMs),
      },
      engine: { WORKER_CONCURRENCY: String(slots) },
      configure: (config) => ({ ...config, segmentation: { ...config.segmentation, pageSize: 1000 } }),
      throughProxy: async (databaseUrl) => {
        proxy = await startProxyBefore(databaseUrl, reads);
        return proxy.databaseUrl;
      },
      ...(without && { without }),
    });
    const chain = [{ action: 'award-points', params: {} }];
    const runId = await trial.muster.api.run({ name: 'Looked at', countries: ['SG'], segment, chain });
    await trial.awaitCalls(runId, 1, 5 * slots);
    return runId;
  }

  /**
   * Delays looks. Resolves when the first answer is late.
   * @returns a function that ends the delay
   */
  async function slowDown(ms: number): Promise<() => void> {
    lookMs = ms;
    const over = trial.injections.begin('slow looks', `${ms} ms`);
    const before = reads.delayed();
    await until('looks are late', () => reads.delayed() > before);
    return () => {
      lookMs = 0;
      over();
    };
  }

  /** Batches called in the counted time. */
  async function callsMeanwhile(runId: string): Promise<number> {
    const before = await trial.batchesCalled(runId, 1);
    await lasting(countedMs);
    return (await trial.batchesCalled(runId, 1)) - before;
  }

  /**
   * Pauses the run right after a look that has seen it running. Returns the milliseconds from the answer to the last
   * effect.
   */
  async function lastCallAfterPause(runId: string): Promise<number> {
    const path = { id: runId };
    const before = reads.sent();
    await until('a look is under way', () => reads.sent() > before);
    const { client } = trial.muster.api;
    await pauseRun({ client, path, body: {} });
    const pausedMs = Date.now();
    await until('it is paused', async () => (await trial.muster.api.progress(runId)).state === 'paused');
    await until('nothing is called any more', async () => {
      const called = await trial.batchesCalled(runId, 1);
      await lasting(2 * onItsWayMs);
      return (await trial.batchesCalled(runId, 1)) === called;
    });
    const keys = [...(await trial.ledger()).of(runId, 1).keys.values()];
    const lastMs = Math.max(...keys.flatMap(({ at }) => at.map((time) => Date.parse(time))));
    await resumeRun({ client, path, body: {} });
    return lastMs - pausedMs;
  }

  it.each([500, 1000, 1800])('let calls continue and a pause take effect in time: %s ms', async (ms) => {
    const runId = await begin();
    const alone = await callsMeanwhile(runId);
    const quicken = await slowDown(ms);
    const beside = await callsMeanwhile(runId);
    const lastMs = [await lastCallAfterPause(runId), await lastCallAfterPause(runId)];
    quicken();
    await trial.awaitEnd(runId, 150_000);

    const measured = {
      'calls/s': (1000 * beside) / countedMs,
      'without /s': (1000 * alone) / countedMs,
      'last call after a pause ms': Math.max(...lastMs),
    };
    expect(await trial.judge(runId, { rows: '51', scenario: `looks of ${ms} ms`, segment, measured })).toEqual([]);
    // After each look, every slot can begin at least one call.
    expect(beside).toBeGreaterThanOrEqual(0.8 * slots * Math.floor(countedMs / ms));
    for (const last of lastMs) expect(last).toBeLessThanOrEqual(lastCallSentWithinMs + onItsWayMs);
  });

  it('stop all calls if a response counts only for the calls that waited for it (control)', async () => {
    const runId = await begin(faultControls.readsServeTheirCaller);
    await slowDown(1000);
    await lasting(1000);
    expect(await callsMeanwhile(runId)).toBe(0);
  });

  it('let calls begin after the published time if old responses stay valid (control)', async () => {
    const runId = await begin(faultControls.readsExpire);
    await slowDown(1800);
    expect(await lastCallAfterPause(runId)).toBeGreaterThan(lastCallSentWithinMs + onItsWayMs);
  });
});
