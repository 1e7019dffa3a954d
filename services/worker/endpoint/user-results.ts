import type { UsersText } from '../../../shared/domain/step/users-text.ts';

/** Users of a call, kept as one text because splitting the text costs as much as reading the answer. */
export interface RequestedUsers {
  readonly users: UsersText;
  readonly count: number;
  /** True if no id needs escapes in JSON (`isPlain`). */
  readonly plain: boolean;
}

export interface FailedResult {
  id: string;
  code: string;
  detail: string | null;
  /** True if the endpoint reports that nothing was applied and another try may help. */
  retryable: boolean;
}

/** Result of an answer for the users of the call. Users in no list succeeded. */
export interface UserResults {
  failed: FailedResult[];
  /** Users reported in contradiction, with an unknown status, or not at all. */
  missing: string[];
  /** Number of users in the answer that were not in the call. */
  unexpected: number;
  /** Number of users that were reported more than once. */
  repeated: number;
}

/**
 * Merges two answers to the same key. A final status in either answer wins: succeeded, or failed and not retryable. If
 * two final statuses contradict each other, success wins, because the call had an effect. For a user without a final
 * status, the second answer decides.
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
