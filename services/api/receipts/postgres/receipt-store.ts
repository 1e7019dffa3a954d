import type { Pool } from 'pg';
import { plainArray, textArray } from '../../../../shared/postgres/connection/array-literals.ts';
import type { Statement } from '../../../../shared/postgres/connection/statement.ts';
import { retryingDeadlocks } from '../../../../shared/postgres/connection/transaction.ts';
import { receiptCursorOf, receiptPlaceOf } from '../receipt-cursor.contract.ts';
import { InvalidCursorError, type Page } from '../../frame/page.port.ts';
import { pageOf } from '../../frame/postgres/pages.ts';
import { receiptPages, recordReceipts, type ReceiptPageParams } from './receipt-statements.ts';

export interface ReceiptStoreDeps {
  /** Pool whose connections keep the plans of their statements, made by `createHotPathPool`. */
  pool: Pool;
  /** Slot of this process's totals. Processes with the same slot wait for each other. */
  slot: number;
}

/** Report of a provider about what became of a message to one user after the provider had accepted the message. */
export interface Receipt {
  /** Call to which the receipt refers: its run, with the country if known, or its batch. A batch saves a search. */
  of: { runId: string; country: string | null } | { feedId: string; batchNo: number };
  step: number;
  /** User id that follows the rules of user ids. */
  user: string;
  delivered: boolean;
  /** Reason code, usually of a failed delivery. */
  code: string | null;
  /** Time of the event by the provider's clock, in whole milliseconds. */
  at: Date;
  /**
   * Action type whose secret signed the receipt; only steps with this action type accept the receipt. Null means any
   * action type.
   */
  actionType: string | null;
}

/**
 * Result of a receipt.
 * - `accepted`: the receipt counts, or it repeats or is older than the recorded receipt.
 * - `unknown-run`, `unknown-step`, `unknown-user`: the run does not exist, or it has no such step or user.
 * - `other-action-type`: the secret that signed the receipt belongs to another action type than that of the step.
 * - `not-kept`: the retention time of the run's receipts has ended, or its users were deleted.
 */
export type ReceiptVerdict =
  'accepted' | 'unknown-run' | 'unknown-step' | 'unknown-user' | 'other-action-type' | 'not-kept';

export interface ReceiptFilter {
  step?: number | undefined;
  country?: string | undefined;
  delivered?: boolean | undefined;
}

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

/**
 * Creates the store of delivery receipts. For each run, step and user, only the newest receipt counts, whatever the
 * order and number of receipts.
 */
export function createReceiptStore({ pool, slot }: ReceiptStoreDeps) {
  return {
    /**
     * Writes receipts and their sums in one transaction. For each user, the receipt with the newest `at` counts. For
     * equal `at`, `delivered` counts rather than `undelivered`, so that the result does not depend on the order. A
     * receipt is also stored if the acceptance of its message is not recorded yet. Returns results in the order of the
     * receipts.
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
     * Returns receipts in the order of country, step and user. The order stays the same during concurrent writes. The
     * cursor is opaque.
     * @throws {InvalidCursorError} if the cursor was not returned with a page
     */
    list: async (
      runId: string,
      { step, country, delivered }: ReceiptFilter,
      limit: number,
      cursor: string | null,
    ): Promise<Page<RecordedReceipt>> => {
      const after = cursor === null ? undefined : receiptPlaceOf(cursor);
      if (cursor !== null && !after)
        throw new InvalidCursorError(`${JSON.stringify(cursor)} is not a cursor of a list of receipts`);
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
  /** Position of the receipt in the request; the first has position 1. */
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
