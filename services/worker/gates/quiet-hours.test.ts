import { describe, expect, it } from 'vitest';
import { noneBegun } from '../../../shared/domain/step/suspects.ts';
import type { QuietRule } from '../../../shared/domain/run/quiet-hours.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import type { BatchAnswer } from '../endpoint/batch-endpoint.port.ts';

const hourMs = 3_600_000;

/** Returns quiet hours between two times, in hours from now. */
function hours(then: QuietRule['then'], [fromHours, untilHours]: [number, number], rule: Partial<QuietRule> = {}) {
  const at = (inHours: number) => new Date(Date.now() + inHours * hourMs).toISOString().slice(11, 16);
  const zone = 'UTC';
  return [{ actionType: 'send-message', from: at(fromHours), until: at(untilHours), zone, then, ...rule }];
}

async function setUp(quietHours: readonly QuietRule[]) {
  const world = await createRunningWorker({}, () => ({ quietHours }));
  const { clock, database, endpoint, sweepOverdue, worker, workerDeps } = world;
  return {
    ...world,
    called: (step: number) => endpoint.seen.flatMap(({ call }) => (call.step === step ? call.users : [])),
    /** Offers due steps every minute, as the trigger does. */
    passSweeping: async (runId: string, minutes: number) => {
      for (let passed = 0; passed < minutes; passed++) {
        await passTime(clock, 60_000);
        await sweepOverdue(runId);
      }
      await passTime(clock, 1000);
    },
    /** Removes the rules in the same way as the API and the registry, which lift only holds that are in force. */
    removeRules: async () => {
      const { shards, config, holds } = workerDeps('a');
      const topics = [...shards.keys()].map((topic) => ({ topic, partitions: 2, replicationFactor: 1 }));
      worker.follow({ shards: new Map(shards), topics, actionTypes: config.actionTypes, refusals: [] }, []);
      const inForce = [...database.holds.values()].filter(({ untilMs }) => (untilMs ?? 0) > clock.nowMs());
      for (const { feedId, step } of inForce) await holds.lift({ feedId, step }, 'quiet-hours');
    },
  };
}

const batches = (name: string, count: number) => Array.from({ length: count }, (_, index) => [`${name}${index}`]);

describe('a step in quiet hours', () => {
  it('waits until the quiet hours end, and then calls its users', async () => {
    const { clock, database, feed, passSweeping, called, stepRows } = await setUp(hours('wait', [-1, 1]));
    const { runId, totals } = await feed(batches('u', 20));
    await passTime(clock, 5000);
    expect(totals()[0]).toMatchObject({ succeeded: 20 });
    expect(stepRows(2).map(({ state }) => state)).toEqual(Array.from({ length: 20 }, () => 'waiting'));
    const [hold] = database.holds.values();
    expect(hold?.step).toBe(2);
    expect(hold?.cause).toMatch(/^quiet hours: send-message calls nobody in SG from \d\d:\d\d to \d\d:\d\d$/);
    await passSweeping(runId, 58);
    expect(called(2)).toEqual([]);
    await passSweeping(runId, 5);
    expect(called(2).toSorted()).toEqual(batches('u', 20).flat().toSorted());
    expect([...database.holds.values()]).toEqual([]);
  });

  it('is released only after its hold is stored', async () => {
    const stored = Promise.withResolvers<undefined>();
    const world = await createRunningWorker({}, ({ holds }) => ({
      quietHours: hours('wait', [-1, 1]),
      holds: { ...holds, hold: (steps) => stored.promise.then(() => holds.hold(steps)) },
    }));
    await world.feed([['u1']]);
    await passTime(world.clock, 5000);
    expect(world.stepRows(2).map(({ state }) => state)).not.toContain('waiting');
    stored.resolve(undefined);
    await passTime(world.clock, 5000);
    expect(world.stepRows(2)).toMatchObject([{ state: 'waiting' }]);
    expect(world.database.holds.size).toBe(1);
  });

  it('is no longer held after the quiet hours, even if its first call then fails', async () => {
    const { clock, endpoint, feed, passSweeping, called } = await setUp(hours('wait', [-1, 1]));
    const answer = endpoint.answer;
    const unreachable: BatchAnswer = { kind: 'not-applied', cause: 'connection refused' };
    endpoint.answer = (seen) => (seen.call.step === 2 && seen.call.users.includes('u0') ? unreachable : answer(seen));
    const { runId } = await feed(batches('u', 20));
    await passTime(clock, 5000);
    await passSweeping(runId, 70);
    expect(new Set(called(2)).size).toBe(20);
  });

  it('keeps its rows and due times unchanged until the quiet hours end', async () => {
    const { clock, feed, passSweeping, stepRows, database } = await setUp(hours('wait', [-1, 2]));
    const { runId } = await feed(batches('u', 20));
    await passTime(clock, 5000);
    const waiting = () => ({ rows: structuredClone(stepRows(2)), agenda: structuredClone([...database.agenda]) });
    const before = waiting();
    await passSweeping(runId, 60);
    expect(waiting()).toEqual(before);
  });

  it('ends its users as suppressed if the rule drops users', async () => {
    const { clock, feed, called, failures, stepRows } = await setUp(hours('drop', [-1, 1]));
    const { totals } = await feed([['u1', 'u2']]);
    await passTime(clock, 5000);
    expect(called(1)).toEqual(['u1', 'u2']);
    expect(called(2)).toEqual([]);
    const dropped = { step: 2, outcome: 'suppressed', reason: 'muster.quiet-hours' };
    expect(failures()).toEqual(['u1', 'u2'].map((user) => ({ user, ...dropped })));
    expect(totals()).toMatchObject([{ succeeded: 2 }, { suppressed: 2 }]);
    // Each claim is written as not begun. If the worker were lost, it would be certain that no call was made.
    expect(stepRows(2)).toMatchObject([{ state: 'done', lapses: noneBegun }]);
  });

  it('drops the users of a batch whose worker was lost before it could drop them, without a call', async () => {
    const { feed, passSweeping, workerDeps, called, failures } = await setUp(
      hours('drop', [-1, 3], { actionType: 'award-reward' }),
    );
    const { runId, steps } = await feed([['u1']]);
    await workerDeps('gone').ledger.flush({ results: [], claims: steps, begins: [], checked: () => true });
    await passSweeping(runId, 2);
    expect(called(1)).toEqual([]);
    expect(failures()).toMatchObject([{ user: 'u1', outcome: 'suppressed' }]);
  });

  it('repeats a lost call after the quiet hours, with the same key and bytes', async () => {
    const rules = hours('drop', [1, 2], { actionType: 'award-reward' });
    const { endpoint, feed, passSweeping } = await setUp(rules);
    const answer = endpoint.answer;
    const lost: BatchAnswer = { kind: 'ambiguous', cause: 'reset' };
    endpoint.answer = () => lost;
    const { runId } = await feed([['u1', 'u2']]);
    await passSweeping(runId, 61);
    const before = endpoint.seen.length;
    endpoint.answer = answer;
    await passSweeping(runId, 57);
    expect(endpoint.seen).toHaveLength(before);
    await passSweeping(runId, 10);
    const first = endpoint.seen.filter(({ call }) => call.step === 1);
    expect(new Set(first.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(first.length).toBe(before + 1);
  });

  it('does not delay steps of other countries and action types', async () => {
    const { clock, feed } = await setUp(hours('wait', [-1, 1], { countries: ['ID'] }));
    const quiet = await feed(batches('i', 20), { countries: ['ID'] });
    const other = await feed(batches('s', 20));
    await passTime(clock, 5000);
    expect(quiet.totals()[0]).toMatchObject({ succeeded: 20 });
    expect(other.totals()).toMatchObject([{ succeeded: 20 }, { succeeded: 20 }]);
  });

  it('calls its users after the rule is removed', async () => {
    const { clock, feed, passSweeping, called, removeRules } = await setUp(hours('wait', [-1, 3]));
    const { runId } = await feed(batches('u', 20));
    await passTime(clock, 5000);
    expect(called(2)).toEqual([]);
    await removeRules();
    await passSweeping(runId, 2);
    expect(called(2)).toHaveLength(20);
  });

  it("is held again even if yesterday's hold is still stored", async () => {
    const { clock, database, feed, passSweeping, called, removeRules } = await setUp(hours('wait', [-1, 3]));
    const { runId } = await feed(batches('u', 20), { deadlineSeconds: 7 * 86_400 });
    await passTime(clock, 5000);
    const run = database.runs.get(runId);
    if (!run) throw new Error('the run was not found');
    run.state = 'paused';
    clock.advance(24 * hourMs);
    run.state = 'running';
    await passSweeping(runId, 2);
    expect(called(2)).toEqual([]);
    expect([...database.holds.values()].map(({ untilMs }) => (untilMs ?? 0) > clock.nowMs())).toEqual([true]);
    await removeRules();
    await passSweeping(runId, 2);
    expect(called(2)).toHaveLength(20);
  });
});
