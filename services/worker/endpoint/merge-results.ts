import type { FailedResult, UserResults } from './user-results.ts';

/**
 * What two answers to one key say together. The final word wins, in whichever it is: succeeded, or failed and not to be
 * retried. (Of two final ones that contradict each other, the success: there was an effect.) A user without one is
 * settled by the second answer.
 */
export function mergeResults(first: UserResults, second: UserResults): UserResults {
  const failedLater = new Map(second.failed.map((failure) => [failure.id, failure]));
  const missingLater = new Set(second.missing);
  const failed: FailedResult[] = [];
  const missing: string[] = [];
  const settle = (id: string, before?: FailedResult) => {
    const later = failedLater.get(id);
    const succeededLater = !later && !missingLater.has(id);
    if (succeededLater) return;
    if (before && !before.retryable) failed.push(before);
    else if (later) failed.push(later);
    else missing.push(id);
  };
  // Users in no list of the first answer succeeded there, and that is final.
  for (const failure of first.failed) settle(failure.id, failure);
  for (const id of first.missing) settle(id);
  const { unexpected, repeated } = first;
  return { failed, missing, unexpected: unexpected + second.unexpected, repeated: repeated + second.repeated };
}
