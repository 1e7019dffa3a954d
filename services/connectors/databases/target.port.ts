import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';

/** An SQL action of the file, ready for use. */
export interface SqlActionSettings {
  form: 'statements';
  id: string;
  /** Name of the action's database. */
  database: string;
  /**
   * Statements, executed in this order in one transaction. The rows of the last statement are the users that succeeded.
   */
  statements: readonly string[];
  /** Table that stores the first results by run, step and user, in the same database. */
  results: string;
  /** Code of users that the last statement does not return. */
  failureCode: string;
  /** Limit in milliseconds for each statement. */
  timeoutMs: number;
}

/** First results by user: a code for a failed user, null for a user that succeeded. */
export type FirstResults = ReadonlyMap<string, string | null>;

/** A database of another team in which actions take effect. */
export interface Target {
  /**
   * Applies the action for the users that have no result yet, and stores their results in the same transaction. Returns
   * the results of all users of the request. Concurrent calls for the same users wait for each other. In a test, the
   * transaction is rolled back.
   * @throws {TargetError}
   */
  apply(action: SqlActionSettings, request: BatchRequest): Promise<FirstResults>;
  close(): Promise<void>;
}

/**
 * A call without results. `refused`: the database refuses a value. `misconfigured`: a person has to change a statement,
 * a table or a permission. `not-applied`: the transaction was rolled back, and may succeed later. `unknown`: the
 * connection was lost during the commit.
 */
export class TargetError extends Error {
  override readonly name = 'TargetError';
  readonly kind: 'refused' | 'misconfigured' | 'not-applied' | 'unknown';
  /** SQLSTATE; undefined if the database returned none. */
  readonly sqlState: string | undefined;

  constructor(kind: TargetError['kind'], cause: unknown, sqlState?: string) {
    super(cause instanceof Error ? cause.message || String(cause) : String(cause), { cause });
    this.kind = kind;
    this.sqlState = sqlState;
  }
}

/** SQLSTATE classes of refused values: data exception, integrity violation, error raised by a function. */
export const refusingClasses: readonly string[] = ['22', '23', 'P0', '45'];
