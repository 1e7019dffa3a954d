/** Time in milliseconds within which nearly every transaction that begins or resumes a run is committed. */
export const usualTransactionMs = 10_000;
/**
 * Maximum duration in milliseconds of a transaction that begins or resumes a run. Once a minute, a listing reaches back
 * by this time, to find runs of slow transactions.
 */
const longestTransactionMs = 15 * 60_000;
const listBackEveryMs = 60_000;

/**
 * Determines which changes a listing returns. Each listing returns the runs that began or were resumed since the
 * previous one. Once a minute, a listing reaches further back.
 */
export interface ListingTimes {
  next(nowMs: number): ListingTime;
  /** Records a finished listing. @param until time of the listing by the database's clock */
  listed(listing: ListingTime, until: string, nowMs: number): void;
}

export interface ListingTime {
  /** Time of the previous listing; null for the first listing, which returns all runs. */
  since: string | null;
  /** Milliseconds before `since` from which the listing returns changes. */
  reachMs: number;
}

export function createListingTimes(): ListingTimes {
  let since: string | null = null;
  let reachesBackAtMs = -Infinity;
  return {
    next: (nowMs) => {
      return { since, reachMs: nowMs >= reachesBackAtMs ? longestTransactionMs : usualTransactionMs };
    },
    listed: ({ reachMs }, until, nowMs) => {
      since = until;
      if (reachMs === longestTransactionMs) reachesBackAtMs = nowMs + listBackEveryMs;
    },
  };
}
