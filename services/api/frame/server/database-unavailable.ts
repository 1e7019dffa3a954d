import { HttpProblem } from '../http-problem.ts';

/** What Node says of a network that does not reach the database. */
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
 * SQLSTATE: connection exceptions (class 08), shut down or starting (57P01 to 57P03), too many connections (53300),
 * read-only (25006).
 */
const sqlStates = /^(08...|57P0[123]|53300|25006)$/;

/** What pg and its pool say themselves, and who looks for the leader among several servers, without codes. */
const messages =
  /^(no server in DATABASE_URL|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Connection lost)/;

const retryAfterSeconds = 2;

/**
 * The problem that says so, where an error means that the database cannot be reached or takes no work; it goes away by
 * itself.
 */
export function databaseUnavailable(error: unknown): HttpProblem | undefined {
  if (!isConnectionError(error)) return undefined;
  return new HttpProblem({
    status: 503,
    code: 'database-unavailable',
    detail: `the database does not answer; try again in ${retryAfterSeconds} seconds`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (networkCodes.includes(code) || sqlStates.test(code) || messages.test(error.message)) return true;
  return isConnectionError(error.cause);
}
