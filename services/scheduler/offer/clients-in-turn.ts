import {
  bandOrder,
  createPriorityTurns,
  type PriorityTurns,
  type StoredPriority,
} from '../../../shared/domain/job/priority-bands.ts';
import type { ClientCredit } from './client-credit.ts';

/** Longest time without a check of a client that waits for its rate, because the rate may be raised. */
const longestRestMs = 500;

export interface BandOfClient {
  clientId: string;
  priority: StoredPriority | undefined;
}

interface ClientInTurn<Band> {
  /** Bands (priorities) of the client that wait, sorted by priority. There is at least one. */
  bands: readonly Band[];
  turns: PriorityTurns | undefined;
  /** Time before which the client's rate allows no job, as far as is known. */
  restsUntilMs: number;
}

/**
 * Clients that wait for credit, in the order of their turns. A client is skipped until its rate limit permits a job.
 * If, for example, 1,000 clients may make one call in ten seconds each, a read considers only the ten or so that may
 * have one now.
 */
export interface ClientsInTurn<Band extends BandOfClient> {
  /** True while some clients have not had their turn in the current round. */
  readonly isMidTurn: boolean;
  add(band: Band): void;
  remove(band: Band): void;
  /** Yields the waiting bands of each client. */
  bands(): Iterable<readonly Band[]>;
  /**
   * Returns the bands that have credit, of at most `most` clients. All clients get one turn before any client gets the
   * next one.
   */
  next(most: number, credit: Pick<ClientCredit, 'left' | 'untilRateAllowsMs'>, nowMs: number): Band[];
  /** Returns the state that distributes offers among the bands of a client. Kept while any of its bands waits. */
  turnsOf(clientId: string): PriorityTurns;
}

export function createClientsInTurn<Band extends BandOfClient>(): ClientsInTurn<Band> {
  const clients = new Map<string, ClientInTurn<Band>>();
  const turn: string[] = [];

  function beginTurn(nowMs: number): void {
    for (const [clientId, { restsUntilMs }] of clients) if (restsUntilMs <= nowMs) turn.push(clientId);
  }

  return {
    get isMidTurn() {
      return turn.length > 0;
    },
    add: (band) => {
      const known = clients.get(band.clientId) ?? { bands: [], turns: undefined, restsUntilMs: -Infinity };
      known.bands = [...known.bands, band].sort((a, b) => orderOf(a) - orderOf(b));
      clients.set(band.clientId, known);
    },
    remove: (band) => {
      const known = clients.get(band.clientId);
      if (!known) return;
      known.bands = known.bands.filter((each) => each !== band);
      if (known.bands.length === 0) clients.delete(band.clientId);
    },
    *bands() {
      for (const { bands } of clients.values()) yield bands;
    },
    next: (most, credit, nowMs) => {
      if (turn.length === 0) beginTurn(nowMs);
      const chosen: Band[] = [];
      let read = 0;
      while (read < most && turn.length > 0) {
        const clientId = turn.shift() ?? '';
        const known = clients.get(clientId);
        if (!known) continue;
        const restMs = Math.min(longestRestMs, credit.untilRateAllowsMs(clientId, nowMs));
        known.restsUntilMs = nowMs + restMs;
        if (restMs > 0) continue;
        const readable = known.bands.filter(({ priority }) => credit.left(clientId, nowMs, priority) > 0);
        chosen.push(...readable);
        if (readable.length > 0) read++;
      }
      return chosen;
    },
    turnsOf: (clientId) => {
      const known = clients.get(clientId);
      const turns = known?.turns ?? createPriorityTurns();
      if (known) known.turns = turns;
      return turns;
    },
  };
}

function orderOf({ priority }: BandOfClient): number {
  return bandOrder.indexOf(priority ?? 'normal');
}
