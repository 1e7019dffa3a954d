import pg from 'pg';
import type { DatabaseServer, WantedServer } from '../../../runtime/configuration/database-url.ts';

/** A server that is not the one that is wanted, or does not answer: the next one is tried. */
export class PassedOverError extends Error {
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

/** Each server was passed over; another one may lead in a moment. */
export class NoServerError extends Error {
  override readonly name = 'NoServerError';

  constructor(wanted: WantedServer, passed: Iterable<PassedOverError>) {
    const reasons = [...passed].map(({ server, message }) => `${server.name}: ${message}`);
    super(`no server in DATABASE_URL ${whatIsWanted[wanted]}: ${reasons.join('; ')}`);
  }
}

/** Classes of SQLSTATE that another server need not share: without room, shut down or starting, broken. */
const ownToServer = ['53', '57', '58', 'XX'];

/**
 * Undefined where the error is no matter of this server: what one refuses that answers, as a password or a name, the
 * others refuse as well. That it is away, full or starting is its own.
 */
export function passedOverBecause(server: DatabaseServer, error: unknown): PassedOverError | undefined {
  if (!(error instanceof Error)) return undefined;
  const isAnswer = error instanceof pg.DatabaseError;
  if (isAnswer && !ownToServer.includes(error.code?.slice(0, 2) ?? '')) return undefined;
  return new PassedOverError(server, reasonOf(error), { cause: error });
}

/** A name with several addresses fails with an error of errors, which says nothing itself. */
function reasonOf(error: Error): string {
  if (error.message !== '') return error.message;
  return error instanceof AggregateError ? error.errors.map(String).join(', ') : error.name;
}

/** The pool wraps what a connection says that took too long. */
function passedOverIn(error: unknown): PassedOverError | undefined {
  if (error instanceof PassedOverError) return error;
  return error instanceof Error ? passedOverIn(error.cause) : undefined;
}

/** Others of the process change the order meanwhile, so that a server may come twice before another one comes once. */
const roundsAtMost = 3;

/**
 * Tries until one server is right, or each was passed over.
 * @throws {NoServerError} with the reason of each
 */
export async function hunt<Found>(
  { servers, wanted }: { servers: number; wanted: WantedServer },
  tryNext: () => Promise<Found>,
): Promise<Found> {
  const passed = new Map<DatabaseServer, PassedOverError>();
  for (let tries = 0; passed.size < servers && tries < roundsAtMost * servers; tries++) {
    try {
      return await tryNext();
    } catch (error) {
      const over = passedOverIn(error);
      if (over === undefined) throw error;
      passed.set(over.server, over);
    }
  }
  throw new NoServerError(wanted, passed.values());
}
