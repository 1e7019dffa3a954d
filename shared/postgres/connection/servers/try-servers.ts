import pg from 'pg';
import type { DatabaseServer, WantedServer } from '../../../runtime/configuration/database-url.ts';

/** A server that is not of the wanted kind, or does not answer: the next server is tried. */
export class SkippedServerError extends Error {
  readonly server: DatabaseServer;

  constructor(server: DatabaseServer, message: string, options?: ErrorOptions) {
    super(message, options);
    this.server = server;
  }
}

const whatIsWanted: Readonly<Record<WantedServer, string>> = {
  any: 'answers',
  primary: 'is a primary',
  'read-write': 'may be written to',
};

/** All servers were skipped; another one may become the leader in a moment. */
export class NoServerError extends Error {
  override readonly name = 'NoServerError';

  constructor(wanted: WantedServer, passed: Iterable<SkippedServerError>) {
    const reasons = [...passed].map(({ server, message }) => `${server.name}: ${message}`);
    super(`no server in DATABASE_URL ${whatIsWanted[wanted]}: ${reasons.join('; ')}`);
  }
}

/** SQLSTATE classes specific to one server: out of resources, shutting down or starting, broken. */
const ownToServer = ['53', '57', '58', 'XX'];

/**
 * Returns the error with which a server is skipped, because it is unreachable, full or starting. Returns undefined
 * if all servers would refuse alike, for example because of a wrong password or name.
 */
export function skippedServerError(server: DatabaseServer, error: unknown): SkippedServerError | undefined {
  if (!(error instanceof Error)) return undefined;
  const isAnswer = error instanceof pg.DatabaseError;
  if (isAnswer && !ownToServer.includes(error.code?.slice(0, 2) ?? '')) return undefined;
  return new SkippedServerError(server, reasonOf(error), { cause: error });
}

/** Returns the reason in words. A host name with several addresses fails with an AggregateError without a message. */
function reasonOf(error: Error): string {
  if (error.message !== '') return error.message;
  return error instanceof AggregateError ? error.errors.map(String).join(', ') : error.name;
}

/** Returns the error or its cause, because the pool wraps the error of a connection that timed out. */
function skippedServerErrorIn(error: unknown): SkippedServerError | undefined {
  if (error instanceof SkippedServerError) return error;
  return error instanceof Error ? skippedServerErrorIn(error.cause) : undefined;
}

/** Other connections change the order meanwhile: a server may be tried twice before another is tried once. */
const roundsAtMost = 3;

/**
 * Tries servers until one is of the wanted kind or each was skipped.
 * @throws {NoServerError} with the reason for each server
 */
export async function tryServers<Found>(
  { servers, wanted }: { servers: number; wanted: WantedServer },
  tryNext: () => Promise<Found>,
): Promise<Found> {
  const passed = new Map<DatabaseServer, SkippedServerError>();
  for (let tries = 0; passed.size < servers && tries < roundsAtMost * servers; tries++) {
    try {
      return await tryNext();
    } catch (error) {
      const over = skippedServerErrorIn(error);
      if (over === undefined) throw error;
      passed.set(over.server, over);
    }
  }
  throw new NoServerError(wanted, passed.values());
}
