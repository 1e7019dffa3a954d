import type { UsersText } from '../../../shared/domain/step/users-text.ts';

/** The users that a call asks for. Not one by one: splitting their text costs as much as reading the answer. */
export interface AskedUsers {
  readonly users: UsersText;
  readonly count: number;
  /** Whether no id needs escapes in JSON (`isPlain`). */
  readonly plain: boolean;
}

/** A user whom the endpoint failed. */
export interface FailedResult {
  id: string;
  code: string;
  detail: string | null;
  /** The endpoint says that nothing was applied and that another try may help. */
  retryable: boolean;
}

/** What an answer says about the users asked for. Users in no list succeeded. */
export interface UserResults {
  failed: FailedResult[];
  /** Reported in contradiction, with a word we do not know, or not at all. */
  missing: string[];
  /** Users in the answer that were not asked for. */
  unexpected: number;
  /** Users that were reported more than once. */
  repeated: number;
}

/**
 * Merges two answers to one key. The final word wins, in whichever it is: succeeded, or failed and not to be
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
