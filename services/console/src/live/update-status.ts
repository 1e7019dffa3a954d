/** Age of the shown data, and the next attempt to update it, of a stream or a polled query. */
export interface UpdateStatus {
  updatedAtMs: number | undefined;
  retry?: { attempt: number; nextTryAtMs: number } | undefined;
  tryNow: () => void;
  /** True if the data cannot change any more, such as a run that has ended, or a report. */
  isFinal?: boolean;
}

/** Age in milliseconds after which data counts as outdated. */
export const staleAfterMs = 5_000;

export function isStale({ updatedAtMs, isFinal }: UpdateStatus, nowMs: number): boolean {
  return isFinal !== true && updatedAtMs !== undefined && nowMs - updatedAtMs > staleAfterMs;
}

/**
 * Returns the update status of a polled query. Its interval has to be below five seconds, or the data is always
 * outdated.
 */
export function updateStatusOf(query: { dataUpdatedAt: number; refetch: () => Promise<unknown> }): UpdateStatus {
  return {
    updatedAtMs: query.dataUpdatedAt === 0 ? undefined : query.dataUpdatedAt,
    tryNow: () => void query.refetch(),
  };
}
