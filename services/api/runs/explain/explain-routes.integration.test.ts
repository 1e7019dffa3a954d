import { beforeEach, describe, expect, it } from 'vitest';
import { userExplanation, type UserExplanation } from '../../../../shared/contracts/runs/explanations.ts';
import { isInPart } from '../../../../shared/domain/run/split.ts';
import { segmentAlone } from '../../../../shared/contracts/runs/feed-audience.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { StepLedger, StepRef } from '../../../../shared/ports/step-ledger.ts';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import {
  childOf,
  claimOne,
  doneOf,
  failed,
  leaseMs,
  record,
  startFedRun,
  startRun,
  waitingOf,
  type ExecutionSubject,
} from '../../../../test/support/conformance/execution-subject.ts';
import { settledAsSucceeded } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();

let subject: ExecutionSubject;
let ledger: StepLedger;
let runId: string;
let feedId: string;

beforeEach(async () => {
  subject = createPostgresExecutionStores(on);
  ledger = subject.ledgerOf('a');
  ({ runId, feedId } = await startFedRun(subject, [['a/b', 'u1', 'u2', 'ü']]));
});

const stepOf = (step: number, batchNo = 1): StepRef => ({ feedId, batchNo, step });

function get(user: string, run = runId) {
  const url = `/v1/runs/${publicId('run', run)}/users/${encodeURIComponent(user)}`;
  return on.api.server.inject({ method: 'GET', url, headers: authorized });
}

async function explain(user: string, run = runId): Promise<UserExplanation> {
  return userExplanation.parse((await get(user, run)).json());
}

describe('the explanation of a user of the audience', () => {
  it.each(['a/b', 'ü'])('is found by the percent-encoded id of the user (%s)', async (user) => {
    const { userId, audience, batches, steps } = await explain(user);
    expect({ userId, audience }).toMatchObject({ userId: user, audience: { place: 'member', country: 'SG' } });
    expect(batches).toEqual([{ batchNo: 1, parent: null, fromStep: 1, users: 4 }]);
    expect(steps).toMatchObject([
      { step: 1, action: 'award-reward', outcome: 'pending', attempts: [] },
      { step: 2, action: 'send-message', outcome: 'pending', attempts: [] },
    ]);
  });

  it('has a call, with its time, for each step that succeeded', async () => {
    await record(ledger, doneOf(await claimOne(ledger, stepOf(1))));
    await subject.passTime(1500);
    await record(ledger, doneOf(await claimOne(ledger, stepOf(2))));
    const { steps } = await explain('u1');
    expect(steps).toMatchObject([
      {
        outcome: 'succeeded',
        endedAt: '2026-01-01T00:00:00.000Z',
        attempts: [{ attempt: 1, at: '2026-01-01T00:00:00.000Z', batchNo: 1, result: 'succeeded', code: null }],
      },
      { outcome: 'succeeded', endedAt: '2026-01-01T00:00:01.500Z', attempts: [{ result: 'succeeded' }] },
    ]);
  });

  it('has the idempotency key of each call: one key for each step', async () => {
    await record(ledger, doneOf(await claimOne(ledger, stepOf(1))));
    await record(ledger, doneOf(await claimOne(ledger, stepOf(2))));
    const { steps } = await explain('u1');
    expect(steps.flatMap(({ attempts }) => attempts.map(({ idempotencyKey }) => idempotencyKey))).toEqual([
      `${feedId}-1-1`,
      `${feedId}-1-2`,
    ]);
  });

  it('shows a failure with code and message, and later steps as skipped', async () => {
    const failures = [failed('u1', { detail: 'none left' })];
    await record(ledger, doneOf(await claimOne(ledger, stepOf(1)), { failures }));
    expect((await explain('u1')).steps).toMatchObject([
      {
        outcome: 'failed',
        reason: 'out-of-stock',
        detail: 'none left',
        attempts: [{ result: 'failed', code: 'out-of-stock', message: 'none left' }],
      },
      { outcome: 'skipped', attempts: [] },
    ]);
  });

  it('shows success in a step that a person settled as succeeded, and the next step as skipped', async () => {
    const failures = [failed('u1', { outcome: 'unknown', reason: 'muster.ambiguous-answer' })];
    await record(ledger, doneOf(await claimOne(ledger, stepOf(1)), { failures }));
    await record(ledger, doneOf(await claimOne(ledger, stepOf(2))));
    const settle = `update user_failures set outcome = $1, reason = 'muster.settled' where user_id = 'u1'`;
    await on.pool.query(settle, [settledAsSucceeded]);
    expect((await explain('u1')).steps).toMatchObject([
      { outcome: 'succeeded', reason: 'muster.settled', attempts: [{ result: 'unknown', code: null }] },
      { outcome: 'skipped', attempts: [] },
    ]);
  });

  it('lists all calls of a step that was delayed, retried in a child batch, and succeeded', async () => {
    const cause = '429 Too Many Requests';
    const note = { reading: 'not-applied', cause, users: [] } as const;
    await record(ledger, waitingOf(await claimOne(ledger, stepOf(1)), { cause, note }));
    await subject.passTime(5001);
    const users = [{ code: 'busy', detail: 'in a moment', users: ['u2'] }];
    const children = [childOf(['u2'])];
    const retried = { children, note: { reading: 'reported', cause: null, users } as const };
    await record(ledger, doneOf(await claimOne(ledger, stepOf(1)), retried));
    const childNo = (await explain('u2')).batches[1]?.batchNo ?? 0;
    await record(ledger, doneOf(await claimOne(ledger, stepOf(1, childNo))));
    const { steps, batches } = await explain('u2');
    expect(batches.map(({ parent }) => parent)).toEqual([null, 1]);
    expect(steps[0]).toMatchObject({
      outcome: 'succeeded',
      attempts: [
        { attempt: 1, batchNo: 1, result: 'not-applied', code: null, message: cause },
        { attempt: 2, batchNo: 1, result: 'retryable', code: 'busy', message: 'in a moment' },
        { attempt: 3, batchNo: childNo, result: 'succeeded' },
      ],
    });
    expect(steps[1]).toMatchObject({ outcome: 'pending' });
    expect((await explain('u1')).steps[0]?.attempts.map(({ result }) => result)).toEqual(['not-applied', 'succeeded']);
  });

  it('follows the user into a child batch, while the other users continue in the parent batch', async () => {
    await record(ledger, doneOf(await claimOne(ledger, stepOf(1)), { children: [childOf(['u2'])] }));
    await record(ledger, doneOf(await claimOne(ledger, stepOf(2))));
    expect((await explain('u2')).steps).toMatchObject([{ outcome: 'pending' }, { outcome: 'pending' }]);
    const childNo = (await explain('u2')).batches[1]?.batchNo ?? 0;
    await record(ledger, doneOf(await claimOne(ledger, stepOf(1, childNo))));
    await record(ledger, doneOf(await claimOne(ledger, stepOf(2, childNo)), { failures: [failed('u2')] }));
    expect((await explain('u2')).steps).toMatchObject([{ outcome: 'succeeded' }, { outcome: 'failed' }]);
  });

  it('shows the reason why a step waits, and until when', async () => {
    const put = waitingOf(await claimOne(ledger, stepOf(1)), { cause: 'connection refused' });
    await record(ledger, put);
    expect((await explain('u1')).steps).toMatchObject([
      { outcome: 'pending', waitsFor: 'connection refused', nextAttemptAt: '2026-01-01T00:00:05.000Z' },
      { outcome: 'pending', waitsFor: null },
    ]);
  });

  it('shows that a worker was lost during a call', async () => {
    await claimOne(ledger, stepOf(1));
    await subject.passTime(leaseMs + 1);
    const taken = await claimOne(ledger, stepOf(1));
    await ledger.flush({ results: [], claims: [], begins: [taken] });
    await record(ledger, doneOf(taken));
    expect((await explain('u1')).steps[0]?.attempts.map(({ result }) => result)).toEqual(['lost', 'succeeded']);
  });

  it.each(['expired', 'cancelled'] as const)('shows that a user who is %s was not called', async (rest) => {
    await record(ledger, doneOf(await claimOne(ledger, stepOf(1)), { rest }));
    const after = rest === 'cancelled' ? 'cancelled' : 'skipped';
    expect((await explain('u1')).steps).toMatchObject([
      { outcome: rest, attempts: [] },
      { outcome: after, attempts: [] },
    ]);
  });

  it('is available for an id that breaks the rules of user ids', async () => {
    const { runId: other, owned } = await startRun(subject);
    const { feedId: ownedFeedId = '', token = 0 } = owned[0] ?? {};
    const invalidUsers = [{ user: String.raw`\u0007`, rule: 'control-character' }];
    const page = { batches: [], cursor: 'x', complete: true, staysStalled: false };
    await subject.feeds.writePages({ feedId: ownedFeedId, token, ...page, invalidUsers });
    const explained = await explain('\u0007', other);
    expect(explained.audience).toMatchObject({ place: 'unsendable', country: 'SG' });
    expect(explained.audience.detail).toContain('control-character');
    expect(explained.steps).toMatchObject([
      { outcome: 'failed', reason: 'muster.invalid-user-id', attempts: [] },
      { outcome: 'skipped' },
    ]);
  });
});

describe('the explanation of a user outside the audience', () => {
  /** Creates a run whose feed has reached the user `m` in one country, and is complete in the other. */
  async function halfFed() {
    const { runId: other, owned } = await startRun(subject, { countries: ['SG', 'ID'] });
    for (const { feedId: ownedFeedId, token, country } of owned) {
      const batches = [{ batchNo: 1, users: [`c-${country}`, 'm'] }];
      const page = { batches, invalidUsers: [], cursor: 'm', complete: country === 'ID', staysStalled: false };
      await subject.feeds.writePages({ feedId: ownedFeedId, token, ...page });
    }
    return other;
  }

  it('lists the segments, none of which contains the user', async () => {
    const { audience, steps, batches } = await explain('zoe');
    expect(audience).toMatchObject({ place: 'absent', country: null });
    expect(audience.detail).toContain('segment "all" in SG');
    expect({ steps, batches }).toEqual({ steps: [], batches: [] });
  });

  it('says that the user may still be fed until the feed has passed the user’s id', async () => {
    const other = await halfFed();
    const { audience } = await explain('zoe', other);
    expect(audience).toMatchObject({ place: 'not-fed-yet' });
    expect(audience.detail).toContain('in SG');
    expect(audience.detail).not.toContain('ID');
    expect((await explain('adam', other)).audience.place).toBe('absent');
  });

  it('shows both countries if a segment contains the user in two', async () => {
    const other = await halfFed();
    const { audience } = await explain('m', other);
    expect(audience).toMatchObject({ place: 'member', country: 'ID' });
    expect(audience.detail).toContain('contained it in SG too');
  });

  it('says that the user is held out by the hold-out rule, or excluded', async () => {
    const { runId: other, feedId: otherFeed } = await startFedRun(subject, [['u1']]);
    const alone = segmentAlone({ segment: 'all', snapshot: 's1', estimate: null });
    const audience = { ...alone, exclude: [{ segment: 'staff', snapshot: 's1', estimate: null }] };
    const setAudience = (holdOut: object) =>
      on.pool.query('update feeds set audience = $2 where feed = $1', [otherFeed, { ...audience, holdOut }]);
    await setAudience({ percent: 0.0001, seed: 'x' });
    const explained = (await explain('u2', other)).audience;
    expect(explained.place).toBe('absent');
    expect(explained.detail).toContain('segment "staff" excluded it');
    await setAudience({ percent: 99.9999, seed: 'x' });
    expect((await explain('u2', other)).audience).toMatchObject({ place: 'held-out' });
    expect((await explain('u1', other)).audience).toMatchObject({ place: 'member' });
  });

  it('says that a user outside the canary waits until a variant is chosen', async () => {
    const variants = ['A', 'B'].map((name) => ({ name, weight: 5000, params: {} }));
    const chain = [{ action: 'award-reward', params: {}, variants }];
    const canary = { percent: 1, then: 'choose-variant' } as const;
    const { runId: other, owned } = await startRun(subject, { chain, canary, splitSeed: 'december' });
    const outside = ['adam', 'zoe', 'mia'].find((user) =>
      owned.every(({ audience: { split } }) => split && !isInPart(split, user)),
    );
    const { audience } = await explain(outside ?? expect.fail(), other);
    expect(audience).toMatchObject({ place: 'not-fed-yet' });
    expect(audience.detail).toContain('waits until a variant is chosen');
  });

  it('says that the user was never fed if the run ended before', async () => {
    const other = await halfFed();
    await subject.runs.finish(other, 'expired', null);
    expect((await explain('zoe', other)).audience.place).toBe('never-fed');
    expect((await explain('adam', other)).audience.place).toBe('absent');
  });
});

describe('the explanation of a user', () => {
  it('says that users are no longer stored', async () => {
    const { runId: old } = await startFedRun(subject, [['u1']]);
    await on.pool.query('delete from batches');
    expect((await explain('u1', old)).audience.place).toBe('not-kept');
  });

  it('accepts an id of 256 escaped bytes', async () => {
    expect((await get('ü'.repeat(128))).statusCode).toBe(200);
  });

  it('is not found for an unknown run', async () => {
    const answer = await get('u1', '01938f1e-7c00-7000-8000-000000000001');
    expect(answer.statusCode).toBe(404);
    expect(problem.parse(answer.json()).code).toBe('run-not-found');
  });
});
