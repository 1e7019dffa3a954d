export interface ServerSettings {
  name: string;
  kind: 'postgres' | 'mysql';
  /** Connection URL, which contains the password. */
  url: string;
  maxConnections: number;
}

/** A directory of files that is queried like a database. */
export interface FilesSettings {
  name: string;
  kind: 'files';
  /** Absolute path of the directory. */
  directory: string;
  /** Memory limit of all queries together, in megabytes of 1,000,000 bytes. */
  memoryMb: number;
  maxConnections: number;
}

export type DatabaseSettings = ServerSettings | FilesSettings;

export interface SegmentQuery {
  text: string;
  /** Limit in milliseconds for the query and the reading of its rows together. */
  timeoutMs: number;
}

/** A row of a segment's query as the database returns it, not checked yet. */
export interface SourceRow {
  userId: string | null;
  country: string | null;
}

/** Columns of a row by name. */
export type Attributes = Readonly<Record<string, unknown>>;

/** A database of another team that is only read. */
export interface Source {
  /**
   * Runs the query and streams its rows, sorted by the bytes of the user id, then of the country. Rows are fetched as
   * fast as the reader consumes them. If the reader stops early, the query ends.
   * @throws {SourceError}
   */
  rows(query: SegmentQuery, signal: AbortSignal): AsyncIterable<readonly SourceRow[]>;
  /**
   * Checks the query without running it, and estimates the number of its rows in the country. Resolves with null if the
   * database cannot estimate it.
   * @throws {SourceError}
   */
  estimate(query: SegmentQuery, country: string): Promise<number | null>;
  /**
   * Runs the query with the users as the value of `:users`. Returns its rows by their column `user_id`.
   * @throws {SourceError}
   */
  attributes(query: SegmentQuery, users: readonly string[]): Promise<Map<string, Attributes>>;
  close(): Promise<void>;
}

/**
 * A query that returned no rows, or not all of them. `refused`: a person has to change the query, the data or a
 * permission. `timed-out`: the query exceeded its time limit. `unavailable`: the database did not answer, or the
 * connection was lost.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly kind: 'refused' | 'timed-out' | 'unavailable';

  constructor(kind: SourceError['kind'], cause: unknown) {
    super(cause instanceof Error ? cause.message || String(cause) : String(cause), { cause });
    this.kind = kind;
  }
}

/**
 * Additional time after a query's time limit in which the database may report the timeout. After that, the database
 * counts as unavailable.
 */
export const answerWithinMs = 10_000;

/** Time limit in milliseconds for checking a query without running it. */
export const estimateTimeoutMs = 5000;
