import { apiOnPostgres } from '../../../../../test/support/api-on-postgres.ts';
import { createPostgresExecutionStores } from '../../../../../test/support/postgres-execution-stores.ts';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HistoryBatch, UserHistory } from './user-histories.ts';
import { segmentAlone } from '../../../../../shared/contracts/runs/feed-audience.ts';
import type { AttemptNote, StepLedger, StepRef } from '../../../../../shared/ports/step-ledger.ts';
import {
  childOf,
  claimOne,
  createRun,
  doneOf,
  failed,
  leaseMs,
  record,
  someBatches,
  startFedRun,
  startRun,
  waitingOf,
} from '../../../../../test/support/conformance/execution-subject.ts';

const all = { segment: 'all', snapshot: 's1', estimate: null };
const unknownId = '01938f1e-7c00-7000-8000-000000000001';
const busy: AttemptNote = { reading: 'not-applied', cause: '429 Too Many Requests', users: [] };

/** Explanations of one user of a run. */

const on = apiOnPostgres();

const makeSubject = () => createPostgresExecutionStores(on);

describe('the query of a user’s history', () => {
  let subject: ReturnType<typeof makeSubject>;
  let a: StepLedger;
  let b: StepLedger;
  let runId: string;
  let feedId: string;
  beforeEach(async () => {
    subject = makeSubject();
    a = subject.ledgerOf('a');
    b = subject.ledgerOf('b');
    ({ runId, feedId } = await startFedRun(subject, someBatches(11, 3)));
  });

  const stepOf = (batchNo: number, step = 1): StepRef => ({ feedId, batchNo, step });

  async function historyOf(user: string): Promise<UserHistory> {
    const history = await subject.histories.find(runId, user);
    if (!history) throw new Error('the run was not found');
    return history;
  }

  async function batchesOf(user: string): Promise<readonly HistoryBatch[]> {
    return (await historyOf(user)).place?.batches ?? [];
  }

  async function recordFirst(batchNo: number, changes: Parameters<typeof doneOf>[1] = {}): Promise<void> {
    await record(a, doneOf(await claimOne(a, stepOf(batchNo)), changes));
  }

  it('returns each country in which a segment contains the user', async () => {
    const started = await startRun(subject, { countries: ['ID', 'SG', 'VN'] });
    for (const { feedId: ownedFeedId, token, country } of started.owned) {
      const batches = [{ batchNo: 1, users: country === 'VN' ? ['bob'] : ['ann'] }];
      const page = { batches, invalidUsers: [], cursor: 'z', complete: true, staysStalled: false };
      await subject.feeds.writePages({ feedId: ownedFeedId, token, ...page });
    }
    const placeOf = async (user: string) => (await subject.histories.find(started.runId, user))?.place;
    expect(await placeOf('ann')).toMatchObject({ country: 'ID', alsoIn: ['SG'] });
    expect(await placeOf('bob')).toMatchObject({ country: 'VN', alsoIn: [] });
  });

  it('returns nothing for an unknown run', async () => {
    expect(await subject.histories.find(unknownId, 'u001')).toBeUndefined();
  });

  it('includes the run and its feeds', async () => {
    expect(await historyOf('u001')).toMatchObject({
      runId,
      state: 'running',
      chain: [{ action: 'award-reward' }, { action: 'send-message' }],
      feeds: [
        { country: 'SG', audience: segmentAlone(all), fromStep: 1, complete: true, cursor: 'u033', usersKept: true },
      ],
    });
  });

  it('returns no feed while the run is being prepared', async () => {
    const { runId: other } = await createRun(subject);
    expect(await subject.histories.find(other, 'u001')).toMatchObject({ feeds: [], place: null });
  });

  it.each([
    ['u001', 1],
    ['u003', 1],
    ['u004', 2],
    ['u017', 6],
    ['u030', 10],
    ['u033', 11],
  ])('finds %s in its batch', async (user, batchNo) => {
    expect(await batchesOf(user)).toEqual([{ batchNo, parent: null, fromStep: 1, users: 3, steps: [] }]);
  });

  it.each(['a', 'u0', 'u0031', 'u003x', 'v', '"', 'u001","u002', "o'hara", 'ü'])(
    'does not find %s, a user who was not fed',
    async (user) => {
      expect((await historyOf(user)).place).toBeNull();
    },
  );

  it.each(['\u0000', '', 'x'.repeat(300), '\ud800'])('accepts text that is not an id', async (user) => {
    expect((await historyOf(user)).place).toBeNull();
  });

  it('finds unusual ids by their bytes', async () => {
    const odd = ['"', "'", ',', '\\', 'a"b', 'ä', '\uffee', '🎉'];
    const run = await startFedRun(subject, [odd.slice(0, 4), odd.slice(4)], {});
    for (const [index, user] of odd.entries()) {
      const history = await subject.histories.find(run.runId, user);
      expect(history?.place?.batches).toMatchObject([{ batchNo: index < 4 ? 1 : 2 }]);
    }
  });

  it('finds an id that breaks the rules in its original form and in the escaped form of lists', async () => {
    const { runId: other, owned } = await startRun(subject);
    const [feed] = owned;
    if (!feed) throw new Error('the run has no feed');
    const page = { batches: [], cursor: 'x', complete: true, staysStalled: false };
    const invalidUsers = [{ user: String.raw`a\u0007b`, rule: 'control-character' }];
    await subject.feeds.writePages({ feedId: feed.feedId, token: feed.token, ...page, invalidUsers });
    for (const user of ['a\u0007b', String.raw`a\u0007b`]) {
      expect((await subject.histories.find(other, user))?.place).toMatchObject({
        country: 'SG',
        batches: [],
        unsendable: { outcome: 'failed', reason: 'muster.invalid-user-id', detail: 'control-character' },
      });
    }
  });

  it('includes the time and outcome of a step', async () => {
    await recordFirst(1, { failures: [failed('u002', { detail: 'none left' })] });
    const [succeeded] = await batchesOf('u001');
    expect(succeeded?.steps).toMatchObject([{ step: 1, state: 'done', rest: 'succeeded', failure: null }]);
    const ageMs = (await historyOf('u001')).asOf.getTime() - (succeeded?.steps[0]?.endedAt?.getTime() ?? 0);
    expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(ageMs).toBeLessThan(20_000);
    const failure = { outcome: 'failed', reason: 'out-of-stock', detail: 'none left', attempts: 1 };
    expect((await batchesOf('u002'))[0]?.steps).toMatchObject([{ step: 1, failure }]);
  });

  it('includes the reason why a step waits, and the answers to its calls', async () => {
    const waiting = { cause: busy.cause, note: busy };
    await record(a, waitingOf(await claimOne(a, stepOf(1)), waiting));
    await subject.passTime(5001);
    const note: AttemptNote = { reading: 'ambiguous', cause: '500 Internal Server Error', users: [] };
    await record(b, waitingOf(await claimOne(b, stepOf(1)), { cause: note.cause, open: true, note }));
    const [batch] = await batchesOf('u002');
    expect(batch?.steps).toMatchObject([
      {
        state: 'waiting',
        cause: '500 Internal Server Error',
        endedAt: null,
        attempts: [
          { reading: 'not-applied', cause: '429 Too Many Requests', code: null },
          { reading: 'ambiguous', cause: '500 Internal Server Error', code: null },
        ],
      },
    ]);
    expect(batch?.steps[0]?.nextAttemptAt).toBeInstanceOf(Date);
  });

  it('contains no call for a step that was released without an answer', async () => {
    await record(a, waitingOf(await claimOne(a, stepOf(1)), { answered: false }));
    expect((await batchesOf('u001'))[0]?.steps).toMatchObject([{ state: 'waiting', attempts: [] }]);
  });

  it('has the cause of a hold rather than the cause of a single batch', async () => {
    await record(a, waitingOf(await claimOne(a, stepOf(1)), { cause: 'earlier' }));
    await subject.holds.hold([{ feedId, step: 1, kind: 'fault', cause: 'endpoint says 404' }]);
    expect((await batchesOf('u001'))[0]?.steps).toMatchObject([{ cause: 'endpoint says 404' }]);
  });

  it('follows a user into child batches, with only the answers for this user', async () => {
    const note: AttemptNote = {
      reading: 'reported',
      cause: null,
      users: [
        { code: 'busy', detail: 'try "later"', users: ['u001'] },
        { code: 'locked', detail: null, users: ['u003'] },
      ],
    };
    await recordFirst(1, { children: [childOf(['u001', 'u003'])], note });
    const [fed, child, ...none] = await batchesOf('u003');
    expect(none).toEqual([]);
    expect(fed?.steps).toMatchObject([{ attempts: [{ reading: 'reported', code: 'locked', detail: null }] }]);
    expect(child).toMatchObject({ parent: 1, fromStep: 1, users: 2, steps: [{ step: 1, state: 'waiting' }] });
    expect((await batchesOf('u001'))[0]?.steps).toMatchObject([
      { attempts: [{ code: 'busy', detail: 'try "later"' }] },
    ]);
    expect(await batchesOf('u002')).toHaveLength(1);
  });

  it('follows a user through children of child batches', async () => {
    const { children } = await a.flush({
      results: [doneOf(await claimOne(a, stepOf(2)), { children: [childOf(['u004', 'u006'], { claim: true })] })],
      claims: [],
      begins: [],
    });
    const [created] = children.flatMap(({ claims }) => claims);
    if (!created) throw new Error('the child was not claimed');
    await record(a, doneOf(created, { children: [childOf(['u006'])] }));
    const batches = await batchesOf('u006');
    expect(batches.map(({ users }) => users)).toEqual([3, 2, 1]);
    expect(batches.map(({ parent }) => parent)).toEqual([null, 2, batches[1]?.batchNo]);
  });

  it('shows that a worker was lost during a call, once another worker calls', async () => {
    await claimOne(a, stepOf(1));
    await subject.passTime(leaseMs + 1);
    const taken = await claimOne(b, stepOf(1));
    await b.flush({ results: [], claims: [], begins: [taken] });
    await b.flush({ results: [], claims: [], begins: [taken] });
    await record(b, doneOf(taken));
    expect((await batchesOf('u001'))[0]?.steps).toMatchObject([
      { rest: 'succeeded', attempts: [{ reading: 'lost', cause: null }] },
    ]);
  });

  it('shows no lost call after the step has waited for a retry', async () => {
    await claimOne(a, stepOf(1));
    await subject.passTime(leaseMs + 1);
    await record(b, waitingOf(await claimOne(b, stepOf(1)), { delayMs: 0 }));
    const again = await claimOne(b, stepOf(1));
    await b.flush({ results: [], claims: [], begins: [again] });
    expect((await batchesOf('u001'))[0]?.steps).toMatchObject([{ attempts: [] }]);
  });

  it('shows a step as expired even if no worker claimed it', async () => {
    const { runId: other, feedId: late } = await startFedRun(subject, [['u1', 'u2']]);
    await subject.endings.endOpen({ feedId: late, chainLength: 2 }, 'expired', { from: 1, limit: 10 });
    const step = (await subject.histories.find(other, 'u1'))?.place?.batches[0]?.steps[0];
    expect(step).toMatchObject({ state: 'done', rest: 'expired' });
    expect(step?.endedAt).toBeInstanceOf(Date);
  });

  it('does not include other runs of the campaign', async () => {
    await startFedRun(subject, [['only-there']]);
    expect((await historyOf('only-there')).place).toBeNull();
  });

  it('begins with the retried step in a child run', async () => {
    for (const step of [1, 2]) {
      const failures = step === 2 ? [failed('u003')] : [];
      await record(a, doneOf(await claimOne(a, stepOf(1, step)), { failures }));
    }
    await subject.runs.finish(runId, 'completed_with_failures', null);
    const childId = uuidv7();
    const filter = { steps: null, countries: null, reasons: null };
    await subject.retries.create({ runId: childId, parentRunId: runId, filter, deadlineSeconds: null });
    await subject.runs.beginRetry(childId);
    const feed = (await subject.feeds.claim('t', leaseMs, 100, 'all')).find((each) => each.runId === childId);
    if (!feed) expect.fail('the child run has no feed');
    const page = { invalidUsers: [], cursor: 'u003', complete: true, staysStalled: false };
    const batches = [{ batchNo: 1, users: ['u003'] }];
    await subject.feeds.writePages({ feedId: feed.feedId, token: feed.token, batches, ...page });
    expect(await subject.histories.find(childId, 'u003')).toMatchObject({ place: { fromStep: 2 } });
  });
});
