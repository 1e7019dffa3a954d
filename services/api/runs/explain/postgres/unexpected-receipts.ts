import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { StepTotals } from '../../../../../shared/domain/step/outcomes.ts';
import type { ReceiptTotals } from '../../../../../shared/domain/step/receipts.ts';
import { settledAsSucceeded } from '../../../../../shared/postgres/ledger/ledger-codes.ts';

/** Counts of a feed at one moment. `receipts` counts each user who has a receipt. */
export interface FeedReceipts {
  feedId: string;
  /** True if the run has ended. Its counts must then be exact. */
  isOver: boolean;
  /**
   * True if receipts or failures were deleted. Only the counts that were stored before the deletion are available then.
   */
  isCounted: boolean;
  totals: readonly Pick<StepTotals, 'step' | 'failed' | 'unknown'>[];
  receipts: readonly CountedReceipts[];
}

/** Receipts of a step, and the number of receipts of failed users that was stored before the deletion. */
export interface CountedReceipts extends Omit<ReceiptTotals, 'unexpected'> {
  unexpectedDelivered: number;
  unexpectedUndelivered: number;
}

/** Counts the receipts of failed or unknown users separately from those of accepted users. Returns totals by feed. */
export type UnexpectedReceiptCounter = (feeds: readonly FeedReceipts[]) => Promise<Map<string, ReceiptTotals[]>>;

interface UnexpectedRow {
  feedId: string;
  step: number;
  delivered: number;
  undelivered: number;
}

interface Counted {
  /** Number of failures at the time of the count; `receipts` is the number of receipts at that time. */
  failures: number;
  receipts: number;
  rows: UnexpectedRow[];
}

/** Up to this number of failures, unexpected receipts are counted at each read, which takes a few milliseconds. */
const fewFailures = 2000;
/**
 * For more than `fewFailures` failures: factor by which failures or receipts must have grown before unexpected receipts
 * are counted again. They are also counted once when the run has ended. Counting at each read would cost too much,
 * because progress is read twice a second.
 */
const growth = 1.01;

const maxFeedsRemembered = 1000;

export function createUnexpectedReceiptCounter({ pool }: { pool: Pool }): UnexpectedReceiptCounter {
  const countedByFeed = new LRUCache<string, Counted>({ max: maxFeedsRemembered });

  return async (feeds) => {
    const known = new Map(
      feeds.map((feed) => [feed.feedId, rememberedOf(feed, countedByFeed.get(feed.feedId))] as const),
    );
    const uncounted = feeds.filter(({ feedId }) => known.get(feedId) === null);
    if (uncounted.length > 0) {
      const values = [uncounted.map(({ feedId }) => feedId)];
      const { rows } = await pool.query<UnexpectedRow>({ name: 'unexpected-receipts', text: selectUnexpected, values });
      for (const feed of uncounted) {
        const own = rows.filter(({ feedId }) => feedId === feed.feedId);
        countedByFeed.set(feed.feedId, { ...sumsOf(feed), rows: own });
        known.set(feed.feedId, own);
      }
    }
    return new Map(feeds.map((feed) => [feed.feedId, apart(feed, known.get(feed.feedId) ?? [])]));
  };
}

/**
 * Returns the unexpected receipts if they need not be counted: the last count, or none if there are no failures or no
 * receipts. Returns null if they must be counted.
 */
function rememberedOf(feed: FeedReceipts, counted: Counted | undefined): UnexpectedRow[] | null {
  if (feed.isCounted) return storedOf(feed);
  const { failures, receipts } = sumsOf(feed);
  if (failures === 0 || receipts === 0) return [];
  if (!counted || failures < fewFailures) return null;
  const isSame = counted.failures === failures && counted.receipts === receipts;
  const isNear = failures <= counted.failures * growth && receipts <= counted.receipts * growth;
  return isSame || (isNear && !feed.isOver) ? counted.rows : null;
}

function storedOf({ feedId, receipts }: FeedReceipts): UnexpectedRow[] {
  return receipts.map(({ step, unexpectedDelivered: delivered, unexpectedUndelivered: undelivered }) => {
    return { feedId, step, delivered, undelivered };
  });
}

/** Returns sums over the steps that have both failures and receipts. */
function sumsOf({ totals, receipts }: FeedReceipts) {
  const steps = new Set(receipts.map(({ step }) => step));
  return {
    failures: totals.reduce((sum, line) => sum + (steps.has(line.step) ? line.failed + line.unknown : 0), 0),
    receipts: receipts.reduce((sum, line) => sum + line.delivered + line.undelivered, 0),
  };
}

function apart({ receipts }: FeedReceipts, rows: readonly UnexpectedRow[]): ReceiptTotals[] {
  return receipts.map(({ step, delivered, undelivered }) => {
    const row = rows.find((each) => each.step === step) ?? { delivered: 0, undelivered: 0 };
    // The minimum is necessary, because the counted rows may be from a later moment than the receipts.
    const unexpected = {
      delivered: Math.min(delivered, row.delivered),
      undelivered: Math.min(undelivered, row.undelivered),
    };
    return {
      step,
      delivered: delivered - unexpected.delivered,
      undelivered: undelivered - unexpected.undelivered,
      unexpected: unexpected.delivered + unexpected.undelivered,
    };
  });
}

/** Counts the receipts of failed users. For each failure, one receipt is looked up by its key. Parameters: $1 feeds. */
const selectUnexpected = `
  select u.feed as "feedId", u.step, count(*) filter (where r.delivered)::float8 as delivered,
    count(*) filter (where not r.delivered)::float8 as undelivered
  from user_failures u join receipts r on r.feed = u.feed and r.step = u.step and r.user_id = u.user_id
  where u.feed = any($1::uuid[]) and u.outcome <> ${settledAsSucceeded}
  group by u.feed, u.step`;
