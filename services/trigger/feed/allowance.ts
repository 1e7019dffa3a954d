/** Minimum time in milliseconds for which a pager requests batches in advance. */
const lookAheadMs = 200;
const maxBatchesAheadPerMs = 2;

/** Grant of a pager: the batches that it may write. Also estimates how many more batches it could use. */
export interface Allowance {
  granted(): number;
  grant(batches: number): void;
  spend(batches: number): void;
  /** Reduces the grant to `batches`, because the pager can write no more than these without another page. */
  limitTo(batches: number): void;
  /** Records a fetched page. The rate of this page is the expected rate of the next pages. */
  fetched(users: number, tookMs: number): void;
  /**
   * Returns how many batches the pager could use beyond its grant: those that are fetched and, if more pages follow,
   * those that it will fetch until the next scan of the grants.
   */
  wants(fetched: number, mayFetchMore: boolean, untilNextPollMs: number): number;
}

/** @param batchUsers maximum number of users per batch */
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
    wants: (fetched, mayFetchMore, untilNextPollMs) => {
      const perMs = mayFetchMore ? Math.min(maxBatchesAheadPerMs, batchesPerMs) : 0;
      const ahead = Math.ceil(perMs * Math.max(lookAheadMs, untilNextPollMs));
      return Math.max(0, fetched + ahead - granted);
    },
  };
}
