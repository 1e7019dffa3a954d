import type { UsersText } from '../../../shared/domain/step/users-text.ts';

/** Users of a call. They are kept as one text, because splitting the text costs as much as reading the answer. */
export interface RequestedUsers {
  readonly users: UsersText;
  readonly count: number;
  /** True if no id needs escapes in JSON (see `isPlain`). */
  readonly plain: boolean;
}

export interface FailedResult {
  id: string;
  code: string;
  detail: string | null;
  /** True if the endpoint reports that nothing was applied for this user and another try may help. */
  retryable: boolean;
}

/** Results of the users of a call, according to its answer. Users in none of the lists succeeded. */
export interface UserResults {
  failed: FailedResult[];
  /** Users that the answer reports with contradictions, with an unknown status, or not at all. */
  missing: string[];
  /** Number of users in the answer that the call did not contain. */
  unexpected: number;
  /** Number of users that the answer reports more than once. */
  repeated: number;
}

/**
 * Merges two answers to the same key. A final status (succeeded, or failed and not retryable) in either answer counts.
 * If one answer reports success and the other a final failure, success counts, because the call had an effect. For a
 * user without a final status, the second answer counts.
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
  // Users that the first answer does not list as failed or missing have succeeded, which is final.
  for (const failure of first.failed) settle(failure.id, failure);
  for (const id of first.missing) settle(id);
  const { unexpected, repeated } = first;
  return { failed, missing, unexpected: unexpected + second.unexpected, repeated: repeated + second.repeated };
}
