import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancelRun } from '../../sdk/generated/sdk.gen.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import type { EngineConfigFile } from '../e2e/engine-config.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';
const users = 30_000;
/** Calls of one action type in flight at once. */
const slots = 10;
const batchUsers = 100;
/** Long enough for a hundred claims ahead of the calls, if only the lease limited the claims. */
const leaseMs = 8000;
/**
 * Users in calls, and users in the room that flushes provide: steps that ended since the last flush, and as many during
 * the flush.
 */
const inDoubtUsers = (slots + 1 + 2 * slots) * batchUsers;
const endsWithinSeconds = 5;
const classes = ['A', 'B', 'C', 'D'] as const;
type ContractClass = (typeof classes)[number];
const breaks = ['killed', 'frozen'] as const;

/** An action type for each class. */
function byClass(config: EngineConfigFile): EngineConfigFile {
  const { 'award-reward': rewards, 'award-points': points, 'send-message': messages } = config.actionTypes;
  if (!rewards || !points || !messages) throw new Error('the configuration lacks an action type');
  const statusUrl = points.url.replace('/batches', '/status');
  return {
    ...config,
    segmentation: { ...config.segmentation, pageSize: 1000 },
    actionTypes: {
      'type-a': { ...rewards, class: 'A', concurrency: slots },
      'type-b': { ...rewards, class: 'B', concurrency: slots },
      'type-c': { ...points, class: 'C', concurrency: slots, statusUrl, appliesLateSeconds: 4 },
      'type-d': { ...messages, class: 'D', concurrency: slots },
    },
  };
}

describe('row 55: runs whose worker is lost at full speed', () => {
  let trial: Trial;
  let runs: Record<ContractClass, string>;
  let without: FaultControl | undefined;
  beforeEach(() => {
    without = undefined;
  });
  afterEach(() => trial.end());

  /** Starts one run of each class, at full speed. */
  async function begin(): Promise<void> {
    const latency = '100-300';
    trial = await startTrial({
      workers: 1,
      countries: ['SG'],
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=${users}`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_REWARDS_MEMORY: 'keys',
        SANDBOX_POINTS_MEMORY: 'outcomes',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_REWARDS_LATENCY_MS: latency,
        SANDBOX_POINTS_LATENCY_MS: latency,
        SANDBOX_MESSAGES_LATENCY_MS: latency,
      },
      engine: { WORKER_CONCURRENCY: String(4 * slots), WORKER_LEASE_MS: String(leaseMs) },
      configure: byClass,
      ...(without && { without }),
    });
    const start = async (of: ContractClass) => {
      const chain = [{ action: `type-${of.toLowerCase()}`, params: {} }];
      return await trial.muster.api.run({ name: of, countries: ['SG'], segment, chain });
    };
    const [A, B, C, D] = await Promise.all([start('A'), start('B'), start('C'), start('D')]);
    runs = { A, B, C, D };
    await Promise.all(classes.map((of) => trial.awaitCalls(runs[of], 1, 6 * slots)));
  }

  /** Takes the worker away together with its claims, and starts another worker. */
  async function breakWorker(how: (typeof breaks)[number]): Promise<void> {
    if (how === 'killed') await trial.kill('worker-1');
    else trial.freeze('worker-1');
    await trial.restart('worker-2');
  }

  async function awaitEnds(): Promise<void> {
    for (const of of classes) await trial.awaitEnd(runs[of], 120_000);
  }

  function thawAgain(how: (typeof breaks)[number]): void {
    if (how === 'frozen') trial.thaw('worker-1');
  }

  /** Returns the number of unknown users of a run, and how many of them were in no recorded call. */
  async function unknownOf(of: ContractClass): Promise<{ unknown: number; neverCalled: number }> {
    const listed = await trial.muster.api.failures(runs[of]);
    const { applied } = (await trial.ledger()).of(runs[of], 1);
    const unknown = listed.filter(({ outcome }) => outcome === 'unknown');
    return { unknown: unknown.length, neverCalled: unknown.filter(({ userId }) => !applied.has(userId)).length };
  }

  /** Returns the seconds from the effect of the last call to the end of the run. */
  async function endedAfterLastCall(of: ContractClass): Promise<number> {
    const { endedAt } = await trial.muster.api.progress(runs[of]);
    const keys = [...(await trial.ledger()).of(runs[of], 1).keys.values()];
    const lastMs = Math.max(...keys.flatMap(({ at }) => at.map((time) => Date.parse(time))));
    return (Date.parse(endedAt ?? '') - lastMs) / 1000;
  }

  async function judged(scenario: string, runState: string): Promise<Record<ContractClass, number>> {
    const unknown = { A: 0, B: 0, C: 0, D: 0 };
    for (const of of classes) {
      const { unknown: ofClass, neverCalled } = await unknownOf(of);
      unknown[of] = ofClass;
      const measured = { unknown: ofClass, 'never called': neverCalled, 's to end': await endedAfterLastCall(of) };
      const verdict = { rows: '55', scenario: `${scenario}, class ${of}`, segment, measured };
      // The next worker repeats calls in flight, even while the frozen worker is still calling.
      const allow = { runStates: [runState, 'completed_with_failures'], overlapping: slots };
      expect(await trial.judge(runs[of], { ...verdict, allow })).toEqual([]);
    }
    return unknown;
  }

  it.each(breaks)('leave few users unknown after a take-over, all of them in class D (worker %s)', async (how) => {
    await begin();
    await breakWorker(how);
    await until('nothing is held by who is gone', async () => {
      const held = `select 1 from batch_steps where state = 1 and lease_until < now()`;
      return (await trial.database.count(held)) === 0;
    });
    await lasting(leaseMs);
    thawAgain(how);
    await awaitEnds();

    const unknown = await judged(`${how}, taken over`, 'completed');
    expect({ ...unknown, D: 0 }).toEqual({ A: 0, B: 0, C: 0, D: 0 });
    expect(unknown.D).toBeLessThanOrEqual(inDoubtUsers);
  });

  it.each(breaks)(
    'leave unknown, after a cancellation, only the users whose call may have been made (worker %s)',
    async (how) => {
      await begin();
      await breakWorker(how);
      const { client } = trial.muster.api;
      for (const of of classes) await cancelRun({ client, path: { id: runs[of] }, body: {} });
      await awaitEnds();
      thawAgain(how);

      const unknown = await judged(`${how}, cancelled`, 'cancelled');
      for (const of of classes) {
        expect(unknown[of]).toBeLessThanOrEqual(inDoubtUsers);
        // The next worker may call steps of the lost worker until their lease has expired.
        expect(await endedAfterLastCall(of)).toBeLessThanOrEqual(leaseMs / 1000 + endsWithinSeconds);
      }
    },
  );

  it.each(breaks)(
    'leave unknown, after their expiry, only the users whose call may have been made (worker %s)',
    async (how) => {
      await begin();
      await breakWorker(how);
      // Sets the deadline of the runs to now, as if an hour had passed.
      await trial.database.rows('update runs set deadline_at = now()');
      await awaitEnds();
      thawAgain(how);

      const unknown = await judged(`${how}, expired`, 'expired');
      for (const of of classes) expect(unknown[of]).toBeLessThanOrEqual(inDoubtUsers);
    },
  );

  it('end within five seconds of their last call without unknown users if cancelled without a fault', async () => {
    await begin();
    const { client } = trial.muster.api;
    for (const of of classes) await cancelRun({ client, path: { id: runs[of] }, body: {} });
    await awaitEnds();

    expect(await judged('cancelled', 'cancelled')).toEqual({ A: 0, B: 0, C: 0, D: 0 });
    for (const of of classes) expect(await endedAfterLastCall(of)).toBeLessThanOrEqual(endsWithinSeconds);
  });

  it('have unknown users without a call if each claim counts as a begun call (control)', async () => {
    without = faultControls.claimsAreBegunCalls;
    await begin();
    await breakWorker('killed');
    await awaitEnds();
    const { unknown, neverCalled } = await unknownOf('D');
    expect(unknown).toBeGreaterThan(inDoubtUsers);
    expect(neverCalled).toBeGreaterThan(unknown / 2);
  });
});
