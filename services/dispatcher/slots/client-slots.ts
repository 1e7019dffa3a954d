import type { Clock } from '../../../shared/ports/clock.ts';
import type { JobNodes } from '../../../shared/ports/job-nodes.ts';
import type { Leases } from '../../../shared/ports/leases.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import { createSlotLeases, jobsOf, type SlotUser } from './slot-leases.ts';
import { slotShare } from './slot-shares.ts';

const pollEveryMs = 500;
/**
 * Time in milliseconds between two reads of the list of dispatchers while this dispatcher is alone. A new dispatcher
 * notifies this one. If the notification is lost, several reads still take place within `goodForMs`.
 */
const alonePollEveryMs = 1000;
/**
 * Maximum time in milliseconds between two turns of the loop while no client needs slot leases. A notification wakes
 * the loop.
 */
const untilWokenMs = 60_000;
/**
 * Time in milliseconds for which a read list of dispatchers is valid. A new dispatcher begins after this time, because
 * by then, every other dispatcher has read a list that contains the new one.
 */
const goodForMs = 3000;
/**
 * Maximum wait in milliseconds at the start. A dispatcher of a disabled region is never in the list; it claims nothing,
 * so it need not wait longer.
 */
const longestStartMs = 2 * goodForMs;
/** Milliseconds between two attempts to acquire a slot that another dispatcher has. */
const tryEveryMs = 100;
/** Minimum time in milliseconds between two turns, however many notifications arrive. */
const minBetweenMs = 20;
/** Maximum pause in milliseconds after a turn that took long. */
const longestPauseMs = 500;
/**
 * Maximum number of clients without a slot on this dispatcher for which one turn tries to acquire a slot, in one
 * statement.
 */
const maxTried = 250;

export interface ClientSlotsDeps {
  nodes: Pick<JobNodes, 'dispatchers'>;
  leases: Leases;
  owner: string;
  /** Returns the concurrency of a client over all dispatchers. */
  concurrencyOf: (clientId: string) => number;
  queues: () => ReadonlyMap<string, SlotUser>;
  /** Called when more jobs may be claimed than before. */
  onGained: () => void;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

/**
 * Call slots of each client on this dispatcher. A client's concurrency limit is divided among the dispatchers of all
 * regions. If there are more dispatchers than calls, the dispatchers take turns: each slot is a lease for one call.
 */
export interface ClientSlots {
  /** Begins to read the other dispatchers. Resolves after the first attempt. */
  start(): Promise<void>;
  isSettled(): boolean;
  /**
   * Resolves when this dispatcher may use its share of the slots, or after `longestStartMs`. Jobs that were sent to it
   * earlier would only wait.
   */
  settled(): Promise<void>;
  giveUp(): void;
  /**
   * Returns how many calls of a client may be in flight on this dispatcher. Jobs that are already claimed may begin
   * even if the last read of the list of dispatchers is too old for new claims.
   */
  of(clientId: string): number;
  /**
   * Returns true if this dispatcher may claim no more jobs of the client: its turn with the client's slots is over, or
   * the last read of the list of dispatchers is too old.
   */
  isClosed(clientId: string): boolean;
  /** Reports that a client without a slot on this dispatcher may have jobs. */
  poke(): void;
  stop(): Promise<void>;
}

export function createClientSlots(deps: ClientSlotsDeps): ClientSlots {
  const { nodes, owner, concurrencyOf, changes, clock, logger } = deps;
  const leases = createSlotLeases({ ...deps, userOf: (clientId) => deps.queues().get(clientId) });
  const waiting = new AbortController();
  const tried = new Set<string>();
  let startedAtMs = -Infinity;
  let owners: readonly string[] = [];
  let [readAtMs, listedSinceMs] = [-Infinity, Infinity];

  async function poll(): Promise<number> {
    const requestedAtMs = clock.monotonicMs();
    const before = owners.length;
    owners = await nodes.dispatchers();
    readAtMs = requestedAtMs;
    if (!owners.includes(owner)) listedSinceMs = Infinity;
    else if (owners.length === 1) listedSinceMs = -Infinity;
    else listedSinceMs = Math.min(listedSinceMs, clock.monotonicMs());
    if (owners.length !== before) {
      deps.onGained();
      turns.poke();
    }
    const everyMs = owners.length === 1 && changes.isConnected() ? alonePollEveryMs : pollEveryMs;
    // The validity is counted from the request, because an answer that arrives late is already old.
    return Math.max(0, requestedAtMs + everyMs - clock.monotonicMs());
  }

  /** Returns true if this dispatcher has been listed for so long that all others have reduced their shares for it. */
  const hasJoined = () => clock.monotonicMs() - listedSinceMs >= goodForMs;
  const isSettled = () => hasJoined() && clock.monotonicMs() - readAtMs < goodForMs;

  const isNarrow = (clientId: string) => concurrencyOf(clientId) < owners.length;

  /**
   * Returns the number of slots of a client whose dispatchers take turns, over all of them; null for other clients.
   * Returns 0 while the last read of the list of dispatchers is too old.
   */
  function leasableSlotsOf(clientId: string): number | null {
    if (!isNarrow(clientId)) return null;
    return isSettled() ? concurrencyOf(clientId) : 0;
  }

  /**
   * Renews and releases slot leases, and takes new ones. Only clients with fewer slots than there are dispatchers need
   * leases.
   */
  async function takeTurns(): Promise<number> {
    const begunMs = clock.monotonicMs();
    const ours = new Set(leases.clients());
    const others = [...deps.queues()].flatMap(([clientId, user]) =>
      jobsOf(user) > 0 && !ours.has(clientId) && isNarrow(clientId) ? [clientId] : [],
    );
    await leases.keep(leasableSlotsOf, isSettled() ? nextOf(others) : []);
    if (others.length + leases.clients().length === 0) return owners.length > 1 ? pollEveryMs : untilWokenMs;
    return Math.min(longestPauseMs, Math.max(tryEveryMs, 4 * (clock.monotonicMs() - begunMs)));
  }

  /**
   * Returns up to `maxTried` of these clients. No client is returned again before each of them has been returned once.
   */
  function nextOf(clientIds: readonly string[]): string[] {
    const untried = clientIds.filter((clientId) => !tried.has(clientId));
    const next = untried.slice(0, maxTried);
    if (next.length === untried.length) tried.clear();
    else for (const clientId of next) tried.add(clientId);
    return next;
  }

  const pollLoop = createLoop({ name: 'look-at-dispatchers', turn: poll, afterErrorMs: pollEveryMs, clock, logger });
  const turns = createLoop({
    name: 'take-call-slots',
    turn: takeTurns,
    minBetweenMs,
    afterErrorMs: pollEveryMs,
    clock,
    logger,
  });
  for (const kind of ['nodes', 'regions'] as const) changes.on(kind, () => pollLoop.poke());

  return {
    start: async () => {
      startedAtMs = clock.monotonicMs();
      await poll().catch((error: unknown) => logger.warn({ err: error }, 'the other dispatchers are not known yet'));
      pollLoop.start();
      turns.start();
    },
    isSettled,
    settled: async () => {
      while (!isSettled() && clock.monotonicMs() - startedAtMs < longestStartMs && !waiting.signal.aborted) {
        await clock.sleep(tryEveryMs, waiting.signal);
      }
    },
    giveUp: () => waiting.abort(),
    of: (clientId) => {
      if (!hasJoined()) return 0;
      if (isNarrow(clientId)) return leases.of(clientId);
      return slotShare(concurrencyOf(clientId), owners, owner, clientId);
    },
    isClosed: (clientId) => !isSettled() || (isNarrow(clientId) && leases.isClosed(clientId)),
    poke: () => {
      if (owners.length > 1) turns.poke();
    },
    stop: async () => {
      await Promise.all([pollLoop.stop(), turns.stop()]);
      await leases.keep(() => null, []);
    },
  };
}
