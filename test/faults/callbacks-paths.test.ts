import { afterEach, describe, expect, it } from 'vitest';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import type { CallbackManners } from './support/callback-receiver-messages.ts';
import { lateMsOf } from './support/measure-callbacks.ts';
import { quantile } from './support/measure-run.ts';
import { lasting, until } from './support/until.ts';

/** Hanging calls are recognized after a second. On a busy machine, jobs also wait for some more looks and flushes. */
const recognizedMs = 2000;
/** Probes run every two seconds, a released job returns after at most 30 s, and a hanging call takes 8 s. */
const mendedWithinMs = 90_000;
/** Foreign load only adds time, so the quickest of up to this many rounds counts. */
const mostRounds = 3;
const wanted = { client: 'shop', path: 'good', count: 200, dueInMs: 500, spreadMs: 4000 };

/** I8: the receiver fails the calls of one path of a client, and serves those of another path of the same host. */
describe('row 77: a path that its receiver fails', () => {
  let trial: CallbackTrial;
  afterEach(() => trial.end());

  const p99 = (ids: readonly string[]) => quantile(lateMsOf(trial, ids), 0.99);
  const calledOf = (ids: readonly string[]) => lateMsOf(trial, ids).length;
  const callsOfPath = (ids: readonly string[]) => {
    const own = new Set(ids);
    return trial.receiver.calls().filter(({ jobId }) => own.has(jobId)).length;
  };

  async function start(terms: { timeoutMs?: number }, without?: FaultControl): Promise<void> {
    trial = await startCallbackTrial(without && { without });
    const retry = { strategy: 'fixed', attempts: 50, delayMs: 1000 } as const;
    await trial.addClient('shop', { concurrency: 12, sideline: { probeSeconds: 2 }, retry, ...terms });
  }

  /** Schedules jobs of the bad path, waits for calls that fail, and then schedules the healthy jobs. */
  async function withBad(manners: CallbackManners, sinceCalls: number) {
    await trial.receiver.behave(manners);
    const bad = await trial.schedule({ client: 'shop', path: 'bad', count: 150 });
    await until('the fault is felt', () => callsOfPath(bad) >= sinceCalls, 60_000);
    return { bad, good: await trial.schedule(wanted) };
  }

  it.each<[name: string, manners: CallbackManners, sinceCalls: number]>([
    ['hang', { bad: { does: 'hang' } }, 4],
    ['get 500', { bad: { status: 500 } }, 10],
    ['get 429', { bad: { status: 429, headers: { 'retry-after': '2' } } }, 10],
  ])(
    'does not slow down other paths and recovers after the repair: its calls %s',
    async (name, manners, sinceCalls) => {
      await start({});
      const alone = await trial.schedule(wanted);
      await until('all are called', () => calledOf(alone) === alone.length, 60_000);
      const over = trial.injections.begin(`calls of one path ${name}`, 'receiver');
      const bound = 1.2 * p99(alone) + recognizedMs;
      let { good } = await withBad(manners, sinceCalls);
      let quickest = Infinity;
      for (let round = 1; ; round++) {
        await until('the healthy ones are called', () => calledOf(good) === good.length, 60_000);
        quickest = Math.min(quickest, p99(good));
        if (quickest < bound || round === mostRounds) break;
        good = await trial.schedule(wanted);
      }
      over();
      await trial.receiver.behave({});
      await trial.awaitEnded(mendedWithinMs);

      const measured = { 'p99 alone ms': p99(alone), 'p99 beside ms': quickest };
      const scenario = `beside a path whose calls ${name}`;
      expect(await trial.judgeCallbacks({ rows: '77', scenario, measured })).toEqual([]);
      expect(quickest).toBeLessThan(bound);
    },
  );

  it('slows down other paths if the circuits of its host and client count its failures (control)', async () => {
    // The time-out is long, so that no hanging call ends and frees its slot during the measurement.
    await start({ timeoutMs: 30_000 }, faultControls.routesLearnFirst);
    const { good } = await withBad({ bad: { does: 'hang' } }, 4);
    await lasting(12_000);
    // More than one percent of the healthy jobs are not called within twelve seconds. Some are called before the
    // hanging calls fill the slots.
    expect(calledOf(good)).toBeLessThan(0.99 * good.length);
  });
});
