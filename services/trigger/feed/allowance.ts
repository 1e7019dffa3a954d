/** Time for which a pager requests room in advance. */
const lookAheadMs = 200;
const maxBatchesAheadPerMs = 2;

/** Batches that a pager may write, and further batches that it could use. */
export interface Allowance {
  granted(): number;
  grant(batches: number): void;
  spend(batches: number): void;
  /** Limits the grant to batches that the pager can use without further pages. */
  limitTo(batches: number): void;
  /** Measures the rate of fetched pages, which predicts the next ones. */
  fetched(users: number, tookMs: number): void;
  /** Returns the batches wanted beyond the grant: `fetched` and, if more pages come, those until the next look. */
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
