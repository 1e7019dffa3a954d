import { describe, expect, it } from 'vitest';
import type { QuietRule } from '../../../shared/domain/run/quiet-hours.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf, type SeenCall } from '../../../test/support/worker-fixture.ts';
import type { BatchAnswer } from '../endpoint/batch-endpoint.port.ts';

const minuteMs = 60_000;
const action = 'award-reward';
/** Number of refused users just below the limit at which the endpoint's refusals hold the step. */
const refusedBeforeHold = 999;

const refused: BatchAnswer = { kind: 'answered', status: 422, retryAfterMs: null, body: Buffer.from('{}') };

function acceptAll({ call }: SeenCall): BatchAnswer {
  return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
}

/**
 * Returns quiet hours between two times, in minutes from now. They begin up to a minute earlier, because rules consist
 * of full minutes.
 */
function quiet(fromMinutes: number, untilMinutes: number, then: QuietRule['then'] = 'wait'): QuietRule[] {
  const at = (minutes: number) => new Date(Date.now() + minutes * minuteMs).toISOString().slice(11, 16);
  return [{ actionType: action, from: at(fromMinutes), until: at(untilMinutes), zone: 'UTC', then }];
}

/** Creates a step that is held, because its endpoint has accepted one user and refuses all others. */
async function setUp(quietHours: readonly QuietRule[]) {
  const world = await createRunningWorker({ concurrency: 50 }, () => ({ quietHours }));
  const { clock, database, endpoint, feed, sweepOverdue, worker, workerDeps } = world;
  endpoint.answer = (seen) => (seen.call.users[0] === 'good' ? acceptAll(seen) : refused);
  const users = [['good'], ...Array.from({ length: 1500 }, (_, index) => [`u${index}`])];
  const { runId } = await feed(users, { chain: [{ action, params: {} }] });
  return {
    ...world,
    passMinutes: async (minutes: number) => {
      for (let passed = 0; passed < minutes; passed++) {
        await passTime(clock, minuteMs);
        await sweepOverdue(runId);
      }
      await passTime(clock, 1000);
    },
    /** Changes the rules in the same way as the API and the registry. */
    setRules: async (rules: readonly QuietRule[]) => {
      const { shards, config, holds } = workerDeps('a');
      const topics = [...shards.keys()].map((topic) => ({ topic, partitions: 2, replicationFactor: 1 }));
      worker.follow({ shards: new Map(shards), topics, actionTypes: config.actionTypes, refusals: [] }, rules);
      const rows = [...database.holds.values()].filter(({ kind }) => kind === 'quiet-hours');
      for (const row of rows) await holds.lift(row, 'quiet-hours');
    },
    kinds: () => [...database.holds.values()].map(({ kind }) => kind).toSorted(),
  };
}

describe('a step that is held for a fault', () => {
  it('stays held while quiet hours begin and end, and no further user fails', async () => {
    const { endpoint, failures, kinds, passMinutes } = await setUp(quiet(5, 10));
    await passMinutes(3);
    expect([failures().length, kinds()]).toEqual([refusedBeforeHold, ['fault']]);
    await passMinutes(4);
    expect(kinds()).toEqual(['fault', 'quiet-hours']);
    const calledBefore = endpoint.seen.length;
    await passMinutes(1);
    expect(endpoint.seen).toHaveLength(calledBefore);
    await passMinutes(5);
    expect([failures().length, kinds()]).toEqual([refusedBeforeHold, ['fault']]);
    expect(endpoint.seen.length).toBeGreaterThan(calledBefore);
  });

  it('keeps its users in quiet hours that drop users, and calls them when the fault is fixed', async () => {
    const { endpoint, failures, kinds, passMinutes } = await setUp(quiet(5, 10, 'drop'));
    await passMinutes(6);
    endpoint.answer = acceptAll;
    await passMinutes(2);
    expect([failures().length, kinds()]).toEqual([refusedBeforeHold, ['fault', 'quiet-hours']]);
    await passMinutes(4);
    expect([failures().length, kinds()]).toEqual([refusedBeforeHold, []]);
  });

  it('stays held while quiet hours are changed and deleted', async () => {
    const { failures, kinds, passMinutes, setRules } = await setUp(quiet(5, 60));
    await passMinutes(6);
    expect(kinds()).toEqual(['fault', 'quiet-hours']);
    await setRules(quiet(2, 90));
    await passMinutes(2);
    expect([failures().length, kinds()]).toEqual([refusedBeforeHold, ['fault', 'quiet-hours']]);
    await setRules([]);
    await passMinutes(5);
    expect([failures().length, kinds()]).toEqual([refusedBeforeHold, ['fault']]);
  });

  it('continues after the fault is fixed and the quiet hours have ended', async () => {
    const { endpoint, failures, kinds, passMinutes } = await setUp(quiet(5, 10));
    await passMinutes(6);
    endpoint.answer = acceptAll;
    await passMinutes(2);
    expect(kinds()).toEqual(['fault', 'quiet-hours']);
    await passMinutes(4);
    expect(kinds()).toEqual([]);
    expect(failures()).toHaveLength(refusedBeforeHold);
  });
});
