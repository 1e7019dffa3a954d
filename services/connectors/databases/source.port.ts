export interface DatabaseSettings {
  name: string;
  kind: 'postgres' | 'mysql';
  /** Contains the password. */
  url: string;
  maxConnections: number;
}

export interface SegmentQuery {
  text: string;
  /** Limit for the query and the reading of its rows together. */
  timeoutMs: number;
}

/** A row of a segment's query as the database has it, before any rule was applied. */
export interface SourceRow {
  userId: string | null;
  country: string | null;
}

/** A database that another team owns, and that is only read. */
export interface Source {
  /**
   * Runs the query and streams its rows, in byte order of the user ids, and of the countries of one user. The reader
   * sets the pace. An early end of the reading ends the query.
   * @throws {SourceError}
   */
  rows(query: SegmentQuery, signal: AbortSignal): AsyncIterable<readonly SourceRow[]>;
  /**
   * Checks the query without running it, and estimates its rows in the country; null if the database cannot.
   * @throws {SourceError}
   */
  estimate(query: SegmentQuery, country: string): Promise<number | null>;
  close(): Promise<void>;
}

/**
 * A query that brought no rows, or not all of them. `refused`: a person has to change the query, the data or a right.
 * `timed-out`: it took longer than its limit. `unavailable`: the database did not answer, or went away.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly kind: 'refused' | 'timed-out' | 'unavailable';

  constructor(kind: SourceError['kind'], cause: unknown) {
    super(cause instanceof Error ? cause.message || String(cause) : String(cause), { cause });
    this.kind = kind;
  }
}

/** Beyond its own time limit, a database gets so long to report it. Then it counts as gone. */
export const answerWithinMs = 10_000;

/** Limit for checking a query without running it. */
export const estimateTimeoutMs = 5000;
