import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';

/** An action of the file, ready for use. */
export interface ActionSettings {
  id: string;
  /** Name of its database. */
  database: string;
  /** Run in this order, in one transaction. Rows of the last one are the users that succeeded. */
  statements: readonly string[];
  /** Table of first results by run, step and user, in the same database. */
  results: string;
  /** Code of users that the last statement does not return. */
  failureCode: string;
  /** Limit for each statement. */
  timeoutMs: number;
}

/** First results by user: a code for failed users, null for those that succeeded. */
export type FirstResults = ReadonlyMap<string, string | null>;

/** A database that another team owns, in which actions have their effects. */
export interface Target {
  /**
   * Applies the action for the users that have no result yet, and stores their results in the same transaction. Returns
   * the results of all users of the request. Calls for the same users at once wait for each other. In a test, the
   * transaction is rolled back.
   * @throws {TargetError}
   */
  apply(action: ActionSettings, request: BatchRequest): Promise<FirstResults>;
  close(): Promise<void>;
}

/**
 * A call without results. `refused`: the database refuses a value. `misconfigured`: a person has to change statement,
 * table or right. `not-applied`: the transaction was rolled back, and may succeed later. `unknown`: the connection was
 * lost at the commit.
 */
export class TargetError extends Error {
  override readonly name = 'TargetError';
  readonly kind: 'refused' | 'misconfigured' | 'not-applied' | 'unknown';
  /** SQLSTATE, if the database gave one. */
  readonly sqlState: string | undefined;

  constructor(kind: TargetError['kind'], cause: unknown, sqlState?: string) {
    super(cause instanceof Error ? cause.message || String(cause) : String(cause), { cause });
    this.kind = kind;
    this.sqlState = sqlState;
  }
}

/** SQLSTATE classes of values that a database refuses: data exception, integrity, error raised by a function. */
export const refusingClasses: readonly string[] = ['22', '23', 'P0', '45'];
