import { HttpProblem, quoted } from '../frame/http-problem.ts';
import type { Client } from '../../../shared/ports/clients.ts';

/** Maximum number of requests of one client that wait for its previous request. */
const maxWaiting = 20;

export type ClientTurns = ReturnType<typeof createClientTurns>;

/**
 * Runs one request with many jobs of each client at a time. Such a request needs many statements, so a client with many
 * requests waits for its own instead of occupying the shared connections.
 */
export function createClientTurns() {
  const lasts = new Map<string, { waiting: number; last: Promise<void> }>();

  /**
   * Runs the work in its turn.
   * @throws {HttpProblem} 429 if too many requests of the client are waiting
   */
  return async <Result>({ clientId, name }: Pick<Client, 'clientId' | 'name'>, work: () => Promise<Result>) => {
    const turn = lasts.get(clientId) ?? { waiting: 0, last: Promise.resolve() };
    if (turn.waiting > maxWaiting) throw tooManyLists(name);
    turn.waiting++;
    lasts.set(clientId, turn);
    const mine = turn.last.then(work);
    turn.last = mine.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await mine;
    } finally {
      turn.waiting--;
      if (turn.waiting === 0) lasts.delete(clientId);
    }
  };
}

function tooManyLists(name: string): HttpProblem {
  const detail = `${maxWaiting} lists of the client ${quoted(name)} are already waiting; retry-after is the time to wait`;
  return new HttpProblem({ status: 429, code: 'too-many-lists', detail, headers: { 'retry-after': '1' } });
}
