/** A pager asks for room for what it will fetch until it is asked again. */
const lookAheadMs = 200;
const maxBatchesAhead = 400;

/** How many batches a pager may write, and how many more it could use. */
export interface Allowance {
  granted(): number;
  grant(batches: number): void;
  spend(batches: number): void;
  /** Gives back what cannot be used without pages that will not come. */
  limitTo(batches: number): void;
  /** A page was fetched: so fast come others. */
  fetched(users: number, tookMs: number): void;
  /** On top of what is granted, with so many batches fetched and, unless no page comes, some more soon. */
  wants(fetched: number, mayFetchMore: boolean): number;
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
    wants: (fetched, mayFetchMore) => {
      const ahead = mayFetchMore ? Math.min(maxBatchesAhead, Math.ceil(batchesPerMs * lookAheadMs)) : 0;
      return Math.max(0, fetched + ahead - granted);
    },
  };
}
