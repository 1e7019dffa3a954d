/** Time within which nearly every transaction that begins or resumes a run is committed. */
export const usualTransactionMs = 10_000;
/** Longest duration of a transaction that begins or resumes a run. Later listings find the runs that it began. */
const longestTransactionMs = 15 * 60_000;
const listBackEveryMs = 60_000;

/** Times of listings. A listing lists what has begun since the last one, and once a minute reaches further back. */
export interface ListingTimes {
  next(nowMs: number): ListingTime;
  /** Records the time of a listing, by the clock of the database. */
  listed(listing: ListingTime, until: string, nowMs: number): void;
}

export interface ListingTime {
  /** Time of the last listing; null for the first one, which lists everything. */
  since: string | null;
  /** Milliseconds that this listing reaches back before the last one. */
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
