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
