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
  /** At least one, in the order of their priorities. */
  bands: readonly Band[];
  turns: PriorityTurns | undefined;
  /** Time before which the client's rate allows no job, as far as is known. */
  restsUntilMs: number;
}

/**
 * Clients that wait for credit, in the order of their turns. A client rests until its own rate allows a job: of 1,000
 * clients with a call in ten seconds each, a read looks at the ten or so that may have one.
 */
export interface ClientsInTurn<Band extends BandOfClient> {
  /** True while some clients have yet to get their turn. */
  readonly isMidTurn: boolean;
  add(band: Band): void;
  remove(band: Band): void;
  /** Returns the bands of each client. */
  bands(): Iterable<readonly Band[]>;
  /** Returns the bands with credit of at most `most` clients. All clients get a turn before any gets the next one. */
  next(most: number, credit: Pick<ClientCredit, 'left' | 'untilRateAllowsMs'>, nowMs: number): Band[];
  /** Turns of the bands of a client; kept while any of them waits. */
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
