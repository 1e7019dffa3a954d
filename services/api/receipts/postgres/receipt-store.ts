import type { Pool } from 'pg';
import { plainArray, textArray } from '../../../../shared/postgres/connection/array-literals.ts';
import type { Statement } from '../../../../shared/postgres/connection/statement.ts';
import { retryingDeadlocks } from '../../../../shared/postgres/connection/transaction.ts';
import { receiptCursorOf, receiptPlaceOf } from '../receipt-cursor.contract.ts';
import { InvalidCursorError, type Page } from '../../frame/page.port.ts';
import { pageOf } from '../../frame/postgres/pages.ts';
import { receiptPages, recordReceipts, type ReceiptPageParams } from './receipt-statements.ts';

export interface ReceiptStoreDeps {
  /** One whose statements keep one good plan: `createHotPathPool`. */
  pool: Pool;
  /** Of the totals: processes that write to one slot wait for each other. */
  slot: number;
}

/** What a provider says of one user: how what it accepted has ended. */
export interface Receipt {
  /** Of which call: the run, with the country where it is known, or the batch. A batch spares a search. */
  of: { runId: string; country: string | null } | { feedId: string; batchNo: number };
  step: number;
  /** Keeps the rules of user ids. */
  user: string;
  delivered: boolean;
  /** Why not, mostly. */
  code: string | null;
  /** When it happened, by the provider's clock, in whole milliseconds. */
  at: Date;
  /** Action type whose secret signed the receipt: it applies to steps of that type alone. Null applies to all. */
  actionType: string | null;
}

/**
 * - `accepted`: it counts, or is older than what is known, or the same again.
 * - `unknown-run`, `unknown-step`, `unknown-user`: there is no such run, step or user in it.
 * - `other-action-type`: the step's action type is not the one whose secret it is signed with.
 * - `not-kept`: retention has closed the run for receipts, or dropped its users.
 */
export type ReceiptVerdict =
  'accepted' | 'unknown-run' | 'unknown-step' | 'unknown-user' | 'other-action-type' | 'not-kept';

export interface ReceiptFilter {
  step?: number | undefined;
  country?: string | undefined;
  delivered?: boolean | undefined;
}

/** What counts of one user in one step. */
export interface RecordedReceipt {
  user: string;
  step: number;
  country: string;
  delivered: boolean;
  code: string | null;
  at: Date;
  receivedAt: Date;
}

export type ReceiptStore = ReturnType<typeof createReceiptStore>;

/** Delivery receipts: the last one of each (run, step, user) counts, in whatever order and however often they come. */
export function createReceiptStore({ pool, slot }: ReceiptStoreDeps) {
  return {
    /**
     * Writes them with their counts, in one transaction. Of several for one user the newest `at` counts, and with the
     * same `at` delivered goes before undelivered: so the outcome does not depend on the order. A receipt for a user
     * whose acceptance is not recorded yet is kept. Verdicts in the order of the receipts.
     */
    record: async (receipts: readonly Receipt[]): Promise<ReceiptVerdict[]> => {
      const verdicts = receipts.map((): ReceiptVerdict => 'accepted');
      if (receipts.length === 0) return verdicts;
      const statement = recordReceipts.with({ ...paramsOf(receipts), slot });
      const { rows } = await retryingDeadlocks(() => pool.query<RefusedRow>(statement));
      for (const { position, verdict } of rows) verdicts[position - 1] = verdict;
      return verdicts;
    },

    /**
     * In the order of (country, step, user); stable while rows are written. The cursor is opaque.
     * @throws {InvalidCursorError} when it is none that a page ended with
     */
    list: async (
      runId: string,
      { step, country, delivered }: ReceiptFilter,
      limit: number,
      cursor: string | null,
    ): Promise<Page<RecordedReceipt>> => {
      const after = cursor === null ? undefined : receiptPlaceOf(cursor);
      if (cursor !== null && !after)
        throw new InvalidCursorError(`${JSON.stringify(cursor)} is no place in a list of receipts`);
      const { rows } = await pool.query<RecordedReceipt & { feedId: string }>(
        pageStatementOf(delivered).with({
          runId,
          limit: limit + 1,
          country: country ?? null,
          step: step ?? null,
          afterCountry: after?.country ?? null,
          afterFeed: after?.feedId ?? null,
          afterStep: after?.step ?? null,
          afterUser: after?.user ?? null,
        }),
      );
      const { items, next } = pageOf(rows, limit, receiptCursorOf);
      return { items: items.map(({ feedId: _feedId, ...receipt }) => receipt), next };
    },
  };
}

interface RefusedRow {
  /** From 1. */
  position: number;
  verdict: Exclude<ReceiptVerdict, 'accepted'>;
}

function pageStatementOf(delivered: boolean | undefined): Statement<ReceiptPageParams> {
  if (delivered === undefined) return receiptPages.all;
  return delivered ? receiptPages.delivered : receiptPages.undelivered;
}

function paramsOf(receipts: readonly Receipt[]) {
  const ofs = receipts.map(({ of }) =>
    'feedId' in of ? { ...of, runId: null, country: null } : { ...of, ...noBatch },
  );
  return {
    runs: textArray(ofs.map(({ runId }) => runId)),
    countries: textArray(ofs.map(({ country }) => country)),
    feeds: textArray(ofs.map(({ feedId }) => feedId)),
    batchNos: plainArray(ofs.map(({ batchNo }) => batchNo ?? 'NULL')),
    steps: plainArray(receipts.map(({ step }) => step)),
    users: textArray(receipts.map(({ user }) => user)),
    quotedUsers: textArray(receipts.map(({ user }) => JSON.stringify(user))),
    delivered: plainArray(receipts.map(({ delivered }) => delivered)),
    codes: textArray(receipts.map(({ code }) => code)),
    ats: textArray(receipts.map(({ at }) => at.toISOString())),
    actionTypes: textArray(receipts.map(({ actionType }) => actionType)),
  };
}

const noBatch = { feedId: null, batchNo: null };
