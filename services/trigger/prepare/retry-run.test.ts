import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { doneOf, failed } from '../../../test/support/conformance/execution-subject.ts';
import { createMemoryRetries } from '../../../test/support/memory/retries.ts';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, userIds } from '../../../test/support/trigger-fixture.ts';
import { createTrigger } from '../trigger.ts';

const step = { action: 'award-reward', params: {} };

/** Ends a run of two steps over 250 users. In each step another user of each batch fails. */
async function endedRun() {
  const world = createTriggerFixture();
  const { clock, database, ledger, segmentation, startCampaign } = world;
  segmentation.users.set('SG', userIds(250));
  createTrigger(world.triggerDeps('a')).start();
  const { runId } = await startCampaign({ chain: [step, step] });
  await passTimeUntil(clock, () => world.feedRows()[0]?.complete === true);
  for (const [place, name] of [0, 50 - 1].entries()) await recordStep(place + 1, name);
  await passTimeUntil(clock, () => database.runs.get(runId)?.endedAt !== null);
  const retries = createMemoryRetries({ database });
  return { ...world, runId, retries };

  async function recordStep(nth: number, index: number): Promise<void> {
    const claims = [1, 2, 3].map((batchNo) => ({ feedId: world.feedRows()[0]?.feedId ?? '', batchNo, step: nth }));
    const { claimed } = await ledger.flush({ results: [], claims, begins: [] });
    const results = claimed.map((claim) => {
      const users = database.batches.get(`${claim.feedId}/${claim.batchNo}`)?.users ?? [];
      return doneOf(claim, { failures: [failed(users[index] ?? '')], restUsers: users.length - nth });
    });
    await ledger.flush({ results, claims: [], begins: [] });
  }
}

const everybody = { steps: null, countries: null, reasons: null };

describe('a run that retries failed users', () => {
  it('is fed with the failed users of each step, and publishes that step', async () => {
    const { clock, database, runId, retries, references, segmentation, feedRows } = await endedRun();
    const [requested, published] = [segmentation.pagesRequested.length, references('SG').length];
    const childId = uuidv7();
    await retries.create({ runId: childId, parentRunId: runId, filter: everybody, deadlineSeconds: null });
    await passTimeUntil(clock, () => feedRows().filter((row) => row.runId === childId && row.complete).length === 2);
    await passTime(clock, 0);
    const feeds = feedRows().filter((row) => row.runId === childId);
    const usersOf = (fromStep: number) => {
      const ids = feeds.filter((row) => row.fromStep === fromStep).map(({ feedId }) => feedId);
      return [...database.batches.values()].filter(({ feedId }) => ids.includes(feedId)).flatMap(({ users }) => users);
    };
    expect(usersOf(1)).toEqual(['user-000000', 'user-000100', 'user-000200']);
    expect(usersOf(2)).toEqual(['user-000049', 'user-000149', 'user-000249']);
    expect(references('SG').slice(published)).toMatchObject([
      { step: 1, batchNos: [1], remaining: [3] },
      { step: 2, batchNos: [1], remaining: [3], lost: [[]] },
    ]);
    expect(segmentation.pagesRequested).toHaveLength(requested);
  });

  it('continues to the last step for users who failed in the first step, and completes', async () => {
    const { clock, database, ledger, runId, retries, workOff, feedRows } = await endedRun();
    const childId = uuidv7();
    await retries.create({ runId: childId, parentRunId: runId, filter: everybody, deadlineSeconds: null });
    await passTimeUntil(clock, () => feedRows().filter((row) => row.runId === childId && row.complete).length === 2);
    await passTime(clock, 0);
    await workOff();
    const feedId = feedRows().find((row) => row.runId === childId && row.fromStep === 1)?.feedId ?? '';
    const { claimed } = await ledger.flush({ results: [], claims: [{ feedId, batchNo: 1, step: 2 }], begins: [] });
    await ledger.flush({ results: claimed.map((claim) => doneOf(claim)), claims: [], begins: [] });
    await passTimeUntil(clock, () => database.runs.get(childId)?.endedAt !== null);
    expect(database.runs.get(childId)).toMatchObject({ state: 'completed', stateReason: null });
    expect(await retries.sums(runId)).toEqual([{ runId: childId, retried: 6, recovered: 6, failedAgain: 0 }]);
    expect(await retries.groups(runId, everybody)).toEqual([]);
  });

  it('fails if no user matches its filter', async () => {
    const { clock, database, runId, retries } = await endedRun();
    const childId = uuidv7();
    const filter = { ...everybody, reasons: ['no-such-reason'] };
    await retries.create({ runId: childId, parentRunId: runId, filter, deadlineSeconds: null });
    await passTimeUntil(clock, () => database.runs.get(childId)?.endedAt !== null);
    expect(database.runs.get(childId)).toMatchObject({ state: 'failed' });
    expect(database.runs.get(childId)?.stateReason).toContain('nobody is left');
  });
});
