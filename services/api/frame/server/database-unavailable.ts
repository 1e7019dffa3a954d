import { HttpProblem } from '../http-problem.ts';

/** Error codes of Node.js for failures of the network to the database. */
const networkCodes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
];

/**
 * SQLSTATE of a database that is unavailable: connection exceptions (class 08), shutting down or starting (57P01 to
 * 57P03), out of memory (53200), too many connections (53300), read-only (25006).
 */
const sqlStates = /^(08...|57P0[123]|53[23]00|25006)$/;

/** SQLSTATE of a database that is full: no disk space (53100), or another resource exhausted (53000). */
const fullSqlStates = /^53[01]00$/;

/** Messages of errors without a code, from pg, its pool, and the search for the primary among several servers. */
const messages =
  /^(no server in DATABASE_URL|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Connection lost)/;

const retryAfterSeconds = 2;
/** Seconds in `Retry-After` if the disk is full. The time is longer than usual, because a person has to free space. */
const retryWhenFullSeconds = 30;

/**
 * Returns the problem for a database that is unreachable, refuses work or is full. A later repeat of the request may
 * succeed.
 */
export function databaseUnavailable(error: unknown): HttpProblem | undefined {
  if (isDatabaseFull(error)) {
    const detail = `the disk of the database is full, so the request was not processed; try again in ${retryWhenFullSeconds} seconds`;
    return unavailable('database-full', detail, retryWhenFullSeconds);
  }
  if (!isCausedBy(error, isConnectionError)) return undefined;
  const detail = `the database does not answer; try again in ${retryAfterSeconds} seconds`;
  return unavailable('database-unavailable', detail, retryAfterSeconds);
}

/**
 * Returns true if the database refused a statement for lack of space. The transaction of the statement has no effect.
 */
export function isDatabaseFull(error: unknown): boolean {
  return isCausedBy(error, (each) => fullSqlStates.test(codeOf(each)));
}

function unavailable(code: string, detail: string, seconds: number): HttpProblem {
  return new HttpProblem({ status: 503, code, detail, headers: { 'retry-after': String(seconds) } });
}

function isCausedBy(error: unknown, isKind: (error: Error) => boolean): boolean {
  return error instanceof Error && (isKind(error) || isCausedBy(error.cause, isKind));
}

function isConnectionError(error: Error): boolean {
  const code = codeOf(error);
  return networkCodes.includes(code) || sqlStates.test(code) || messages.test(error.message);
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
