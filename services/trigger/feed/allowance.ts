/** A pager asks for room for what it will fetch until it is asked again. */
const lookAheadMs = 200;
const maxBatchesAheadPerMs = 2;

/** How many batches a pager may write, and how many more it could use. */
export interface Allowance {
  granted(): number;
  grant(batches: number): void;
  spend(batches: number): void;
  /** Gives back what cannot be used without pages that will not come. */
  limitTo(batches: number): void;
  /** A page was fetched: so fast come others. */
  fetched(users: number, tookMs: number): void;
  /** On top of what is granted, with so many batches fetched and, unless no page comes, more until the next look. */
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
