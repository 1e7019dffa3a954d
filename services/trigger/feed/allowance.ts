/** Time in milliseconds for which a pager requests a grant in advance. */
const lookAheadMs = 200;
const maxBatchesAheadPerMs = 2;

/** Grant of a pager: the batches that it may write, and how many more it could use. */
export interface Allowance {
  granted(): number;
  grant(batches: number): void;
  spend(batches: number): void;
  /** Reduces the grant to the batches that the pager can use without further pages. */
  limitTo(batches: number): void;
  /** Records a fetched page. Its rate predicts the next pages. */
  fetched(users: number, tookMs: number): void;
  /**
   * Returns how many more batches the pager could use: the fetched ones and, if more pages come, those until the next
   * look.
   */
  wants(fetched: number, mayFetchMore: boolean, untilNextLookMs: number): number;
}

/** @param batchUsers users per batch, at most */
export function createAllowance(batchUsers: number): Allowance {
  let granted = 0;
  let batchesPerMs = 0;
  return {
    granted: () => granted,
    grant: (batches) => {
      granted += batches;
    },
    spend: (batches) => {
      granted = Math.max(0, granted - batches);
    },
    limitTo: (batches) => {
      granted = Math.min(granted, batches);
    },
    fetched: (users, tookMs) => {
      batchesPerMs = users / batchUsers / Math.max(1, tookMs);
    },
    wants: (fetched, mayFetchMore, untilNextLookMs) => {
      const perMs = mayFetchMore ? Math.min(maxBatchesAheadPerMs, batchesPerMs) : 0;
      const ahead = Math.ceil(perMs * Math.max(lookAheadMs, untilNextLookMs));
      return Math.max(0, fetched + ahead - granted);
    },
  };
}
