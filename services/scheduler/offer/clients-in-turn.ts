import {
  bandOrder,
  createPriorityTurns,
  type PriorityTurns,
  type StoredPriority,
} from '../../../shared/domain/job/priority-bands.ts';
import type { ClientCredit } from './client-credit.ts';

/**
 * Maximum time in milliseconds between two checks of a client that waits for its rate limit. The limit may be raised
 * meanwhile.
 */
const longestRestMs = 500;

export interface BandOfClient {
  clientId: string;
  priority: StoredPriority | undefined;
}

interface ClientInTurn<Band> {
  /** Bands (priorities) of the client that have waiting jobs, sorted by priority. There is at least one. */
  bands: readonly Band[];
  turns: PriorityTurns | undefined;
  /** Time before which the client's rate limit allows no further job, as computed at the last check. */
  restsUntilMs: number;
}

/**
 * Clients that wait for credit, in the order of their turns. A client is skipped until its rate limit permits a job.
 * If, for example, 1,000 clients may each make one call in ten seconds, a read checks only the ten or so clients that
 * may make a call now.
 */
export interface ClientsInTurn<Band extends BandOfClient> {
  /** True while some clients have not had their turn in the current round. */
  readonly isMidTurn: boolean;
  add(band: Band): void;
  remove(band: Band): void;
  /** Yields, for each client, its bands that wait. */
  bands(): Iterable<readonly Band[]>;
  /**
   * Returns the bands that have credit, of at most `most` clients. Each client gets one turn before any client gets a
   * second one.
   */
  next(most: number, credit: Pick<ClientCredit, 'left' | 'untilRateAllowsMs'>, nowMs: number): Band[];
  /**
   * Returns the state that distributes offers among the bands of a client. The state is kept while any of the bands
   * waits.
   */
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
