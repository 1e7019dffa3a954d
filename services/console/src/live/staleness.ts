/** How old what is shown is, and what is done about it. Of a stream, or of a question that is asked again and again. */
export interface Standing {
  updatedAtMs: number | undefined;
  retry?: { attempt: number; nextTryAtMs: number } | undefined;
  tryNow: () => void;
  /** It cannot become old: a run that has ended, or a report. */
  isFinal?: boolean;
}

/** What was not confirmed for so long is shown as old. */
export const staleAfterMs = 5_000;

export function isStale({ updatedAtMs, isFinal }: Standing, nowMs: number): boolean {
  return isFinal !== true && updatedAtMs !== undefined && nowMs - updatedAtMs > staleAfterMs;
}

/** Of a question that is asked every few seconds: less than five, or it is old all the time. */
export function standingOf(query: { dataUpdatedAt: number; refetch: () => Promise<unknown> }): Standing {
  return {
    updatedAtMs: query.dataUpdatedAt === 0 ? undefined : query.dataUpdatedAt,
    tryNow: () => void query.refetch(),
  };
}
