import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Receipt, ReceiptFilter } from './receipt-store.ts';
import { InvalidCursorError } from '../../frame/page.port.ts';
import { firstChildBatchNo } from '../../../../shared/domain/step/batch.ts';
import { receiptLine } from '../../../../shared/domain/step/receipts.ts';
import {
  claimOne,
  childOf,
  doneOf,
  failed,
  record,
  startFedRun,
  startRun,
} from '../../../../test/support/conformance/execution-subject.ts';

const unknownId = '01938f1e-7c00-7000-8000-000000000001';
const noon = new Date('2026-11-22T12:00:00.000Z');
const later = new Date('2026-11-22T12:00:00.001Z');

const on = apiOnPostgres();

const makeSubject = () => ({
  ...createPostgresExecutionStores(on),
  receipts: on.deps.receipts,
  /** Deletes the users of all runs, as retention does. */
  dropUsers: () => on.pool.query('delete from batches'),
});

describe('delivery receipts', () => {
  let subject: ReturnType<typeof makeSubject>;
  let runId: string;
  let feedId: string;
  beforeEach(async () => {
    subject = makeSubject();
    const chain = ['award-reward', 'send-message'].map((action) => ({ action, params: {} }));
    const batches = [
      [',', '"', 'u1'],
      ['u2', 'u3', 'é'],
    ];
    ({ runId, feedId } = await startFedRun(
      subject,
      batches.map((users) => users.toSorted(byBytes)),
      { chain },
    ));
  });

  function receipt(user: string, changes: Partial<Receipt> = {}): Receipt {
    const of = { runId, country: null };
    return { of, step: 2, user, delivered: true, code: null, at: noon, actionType: null, ...changes };
  }

  const say = (...receipts: Receipt[]) => subject.receipts.record(receipts);

  async function lines() {
    const snapshot = await subject.reports.snapshot(runId);
    return (snapshot?.countries ?? []).flatMap(({ country, receipts }) =>
      receipts.map((line) => ({ country, ...line })),
    );
  }

  async function listed(filter: ReceiptFilter = {}) {
    const { items } = await subject.receipts.list(runId, filter, 100, null);
    return items.map(({ user, delivered, code }) => [user, delivered, code]);
  }

  it('are counted by step and listed by user', async () => {
    expect(await say(receipt('u1'), receipt('u3', { delivered: false, code: 'no-device' }))).toEqual([
      'accepted',
      'accepted',
    ]);
    expect(await lines()).toEqual([{ country: 'SG', step: 2, delivered: 1, undelivered: 1, unexpected: 0 }]);
    expect(await listed()).toEqual([
      ['u1', true, null],
      ['u3', false, 'no-device'],
    ]);
    expect(await listed({ delivered: false })).toEqual([['u3', false, 'no-device']]);
    expect(await listed({ delivered: true })).toEqual([['u1', true, null]]);
    expect(await listed({ step: 1 })).toEqual([]);
    expect(await listed({ country: 'VN' })).toEqual([]);
  });

  it('count once, whether they repeat in one request or in several', async () => {
    await say(receipt('u1'), receipt('u1'), receipt('u1'));
    await say(receipt('u1'));
    expect(await lines()).toEqual([{ country: 'SG', step: 2, delivered: 1, undelivered: 0, unexpected: 0 }]);
  });

  it('are replaced by the newest receipt, in any order of arrival', async () => {
    const failed = receipt('u1', { delivered: false, code: 'bounced', at: later });
    await say(receipt('u1'), receipt('u2', { delivered: false }));
    await say(failed, receipt('u2', { at: later }));
    expect(await lines()).toEqual([{ country: 'SG', step: 2, delivered: 1, undelivered: 1, unexpected: 0 }]);
    await say(receipt('u1'), receipt('u2', { delivered: false }));
    expect(await lines()).toEqual([{ country: 'SG', step: 2, delivered: 1, undelivered: 1, unexpected: 0 }]);
    expect(await listed()).toEqual([
      ['u1', false, 'bounced'],
      ['u2', true, null],
    ]);
  });

  it('count as delivered if one of two receipts of the same time says so, in any order of arrival', async () => {
    await say(receipt('u1'), receipt('u1', { delivered: false }));
    await say(receipt('u2', { delivered: false }));
    await say(receipt('u2'));
    expect(await lines()).toEqual([{ country: 'SG', step: 2, delivered: 2, undelivered: 0, unexpected: 0 }]);
  });

  it('have correct sums after the status of a user has alternated repeatedly', async () => {
    for (let turn = 0; turn < 6; turn++) {
      const at = new Date(noon.getTime() + turn);
      await say(receipt('u1', { at, delivered: turn % 2 === 0 }), receipt('u3', { at, delivered: false }));
    }
    expect(await lines()).toEqual([{ country: 'SG', step: 2, delivered: 0, undelivered: 2, unexpected: 0 }]);
  });

  it('have the same result whether they arrive concurrently or one after the other', async () => {
    const users = ['u1', 'u2', 'u3'];
    await Promise.all(
      Array.from({ length: 8 }, (_, turn) =>
        say(...users.map((user) => receipt(user, { at: new Date(noon.getTime() + turn), delivered: turn !== 7 }))),
      ),
    );
    expect(await lines()).toEqual([{ country: 'SG', step: 2, delivered: 0, undelivered: 3, unexpected: 0 }]);
  });

  it('are stored if they arrive before the acceptance is recorded, and are consistent with it afterwards', async () => {
    await say(receipt('u1', { step: 1 }));
    expect(receiptLine(0, await lines(), 1).awaiting).toBe(-1);
    const ledger = subject.ledgerOf('a');
    await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 })));
    const snapshot = await subject.reports.snapshot(runId);
    const accepted = snapshot?.countries[0]?.totals[0]?.succeeded ?? 0;
    expect(receiptLine(accepted, await lines(), 1)).toEqual({
      delivered: 1,
      undelivered: 0,
      unexpected: 0,
      awaiting: 2,
    });
  });

  it.each(['before', 'after'])(
    'count as unexpected for a user who fails, if they arrive %s the failure',
    async (when) => {
      const ledger = subject.ledgerOf('a');
      const failures = [failed('u1'), failed('"', { outcome: 'unknown', reason: 'muster.lost' })];
      const receipts = [
        receipt('u1', { step: 1, delivered: false }),
        receipt('"', { step: 1 }),
        receipt(',', { step: 1 }),
      ];
      if (when === 'before') await say(...receipts);
      await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 }), { failures }));
      if (when === 'after') await say(...receipts);
      expect(await lines()).toEqual([{ country: 'SG', step: 1, delivered: 1, undelivered: 0, unexpected: 2 }]);
      expect(receiptLine(1, await lines(), 1)).toEqual({ delivered: 1, undelivered: 0, unexpected: 2, awaiting: 0 });
    },
  );

  it('can refer to their call by its idempotency key, also for a child batch', async () => {
    const ledger = subject.ledgerOf('a');
    const children = [childOf(['u2'])];
    const parent = await claimOne(ledger, { feedId, batchNo: 2, step: 1 });
    await record(ledger, doneOf(parent, { children }));
    const of = (batchNo: number) => ({ of: { feedId, batchNo }, step: 1 });
    expect(await say(receipt('u2', of(firstChildBatchNo)), receipt('u3', of(2)), receipt('u1', of(2)))).toEqual([
      'accepted',
      'accepted',
      'unknown-user',
    ]);
    // A receipt that refers to the run and a receipt that refers to the key count as the same receipt of the user.
    await say(receipt('u3', { step: 1 }), receipt('u3', of(2)));
    expect(await lines()).toEqual([{ country: 'SG', step: 1, delivered: 2, undelivered: 0, unexpected: 0 }]);
  });

  it('match exactly the users of a feed, also if their ids are unusual', async () => {
    const users = [',', '"', 'u1', 'u2', 'u3', 'é'];
    expect(await say(...users.map((user) => receipt(user)))).toEqual(users.map(() => 'accepted'));
    const others = ['', '!', '","', ',"', 'u', 'u11', 'u2,', 'ü', 'zzz'].map((user) => receipt(user));
    expect(await say(...others)).toEqual(others.map(() => 'unknown-user'));
    expect(await lines()).toEqual([{ country: 'SG', step: 2, delivered: 6, undelivered: 0, unexpected: 0 }]);
  });

  it('do not match the separator between two users in the text of a batch', async () => {
    const { runId: other } = await startFedRun(subject, [['u1', 'u2']]);
    expect(await say(receipt(',', { of: { runId: other, country: null }, step: 1 }))).toEqual(['unknown-user']);
  });

  it('are matched in the country of the receipt, or in the country of the user if the receipt has none', async () => {
    const { runId: several, owned } = await startRun(subject, { countries: ['SG', 'VN'] });
    for (const { feedId: feed, token, country } of owned) {
      const users = country === 'SG' ? ['a', 'c'] : ['b', 'd'];
      const written = {
        feedId: feed,
        token,
        batches: [{ batchNo: 1, users }],
        invalidUsers: [],
        staysStalled: false,
      };
      await subject.feeds.writePages({ ...written, cursor: users[1] ?? null, complete: true });
    }
    runId = several;
    const inCountry = (country: string | null) => ({ of: { runId, country }, step: 1 });
    expect(
      await say(receipt('d', inCountry(null)), receipt('a', inCountry('SG')), receipt('b', inCountry('SG'))),
    ).toEqual(['accepted', 'accepted', 'unknown-user']);
    expect(await lines()).toEqual([
      { country: 'SG', step: 1, delivered: 1, undelivered: 0, unexpected: 0 },
      { country: 'VN', step: 1, delivered: 1, undelivered: 0, unexpected: 0 },
    ]);
  });

  it('are refused with the reason if they match no user, without an effect on the other receipts', async () => {
    const verdicts = await say(
      receipt('u1', { of: { runId: unknownId, country: null } }),
      receipt('u1', { of: { feedId: unknownId, batchNo: 1 } }),
      receipt('u1', { step: 3 }),
      receipt('u1', { actionType: 'award-reward' }),
      receipt('u1', { actionType: 'send-message' }),
      receipt('u3', { of: { runId, country: 'VN' } }),
    );
    expect(verdicts).toEqual([
      'unknown-run',
      'unknown-run',
      'unknown-step',
      'other-action-type',
      'accepted',
      'unknown-user',
    ]);
    expect(await lines()).toEqual([{ country: 'SG', step: 2, delivered: 1, undelivered: 0, unexpected: 0 }]);
  });

  it('are refused as not-kept after their users were deleted', async () => {
    await subject.dropUsers();
    expect(await say(receipt('u1'), receipt('u1', { of: { feedId, batchNo: 1 } }))).toEqual(['not-kept', 'not-kept']);
    expect(await lines()).toEqual([]);
  });

  it('are listed in pages by country, step and user, while more receipts arrive', async () => {
    await say(...['u1', 'u2', 'u3'].map((user) => receipt(user, { delivered: false })), receipt('u3', { step: 1 }));
    const first = await subject.receipts.list(runId, {}, 2, null);
    expect(first.items.map(({ step, user }) => [step, user])).toEqual([
      [1, 'u3'],
      [2, 'u1'],
    ]);
    await say(receipt('"'));
    const second = await subject.receipts.list(runId, {}, 2, first.next);
    expect(second.items.map(({ step, user }) => [step, user])).toEqual([
      [2, 'u2'],
      [2, 'u3'],
    ]);
    expect(second.next).toBeNull();
    await expect(subject.receipts.list(runId, {}, 2, 'nonsense')).rejects.toThrow(InvalidCursorError);
  });

  it('are part of the history of the user', async () => {
    await say(receipt('u1', { delivered: false, code: 'bounced', step: 1 }));
    const history = await subject.histories.find(runId, 'u1');
    expect(history?.place?.receipts).toMatchObject([{ step: 1, delivered: false, code: 'bounced', at: noon }]);
    expect((await subject.histories.find(runId, 'u2'))?.place?.receipts).toEqual([]);
  });
});

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
