import type { Clock } from '../../../shared/ports/clock.ts';
import type { JobNodes } from '../../../shared/ports/job-nodes.ts';
import type { Leases } from '../../../shared/ports/leases.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import { createSlotLeases, jobsOf, type SlotUser } from './slot-leases.ts';
import { slotShare } from './slot-shares.ts';

const lookEveryMs = 500;
/** Milliseconds between two reads while alone: newcomers notify, and several reads fit into `goodForMs`. */
const aloneLookEveryMs = 1000;
/** Milliseconds between two turns if there are no turns to take. A notification wakes the loop. */
const untilWokenMs = 60_000;
/** Milliseconds for which a read of the others is valid. A new dispatcher begins when all have read it. */
const goodForMs = 3000;
/** Longest wait at the start: a dispatcher of a disabled region is not listed, claims nothing and need not wait. */
const longestStartMs = 2 * goodForMs;
/** Milliseconds between two tries to get a slot that another dispatcher has. */
const tryEveryMs = 100;
/** Least time between two turns in milliseconds, however many notifications arrive. */
const minBetweenMs = 20;
/** Longest pause in milliseconds after a turn that took long. */
const longestPauseMs = 500;
/** Clients to try in one turn and its statement, besides those with a slot here. */
const maxTried = 250;

export interface ClientSlotsDeps {
  nodes: Pick<JobNodes, 'dispatchers'>;
  leases: Leases;
  owner: string;
  /** Returns the concurrency of a client over all dispatchers. */
  concurrencyOf: (clientId: string) => number;
  queues: () => ReadonlyMap<string, SlotUser>;
  /** Notifies that more jobs may be claimed now. */
  onGained: () => void;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

/**
 * Share of this dispatcher in each client's calls in flight: the client's concurrency is divided among the dispatchers
 * of all regions. If there are more dispatchers than that, they take turns by leases, one for each call.
 */
export interface ClientSlots {
  /** Resolves after the first attempt to read the other dispatchers. */
  start(): Promise<void>;
  isSettled(): boolean;
  /** Resolves when this dispatcher has its share, for which jobs sent earlier would wait; or need not wait. */
  settled(): Promise<void>;
  giveUp(): void;
  /**
   * Returns how many calls of a client may be in flight here, by the last read, however old: claimed jobs begin by it.
   */
  of(clientId: string): number;
  /** Returns true if no more jobs may be claimed: the turn is over, or the last read of the others is too old. */
  isClosed(clientId: string): boolean;
  /** Reports that a client without a slot may have jobs. */
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

  async function look(): Promise<number> {
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
    const everyMs = owners.length === 1 && changes.isConnected() ? aloneLookEveryMs : lookEveryMs;
    // The interval counts from the request: a late answer is already old.
    return Math.max(0, requestedAtMs + everyMs - clock.monotonicMs());
  }

  /** True if all other dispatchers have made room for this one's share. */
  const hasJoined = () => clock.monotonicMs() - listedSinceMs >= goodForMs;
  const isSettled = () => hasJoined() && clock.monotonicMs() - readAtMs < goodForMs;

  const isNarrow = (clientId: string) => concurrencyOf(clientId) < owners.length;

  /** Returns the slots of a client that takes turns; 0 while the last read of the others is too old. */
  function mostOf(clientId: string): number | null {
    if (!isNarrow(clientId)) return null;
    return isSettled() ? concurrencyOf(clientId) : 0;
  }

  /** Takes one turn over the clients with fewer slots than there are dispatchers. */
  async function takeTurns(): Promise<number> {
    const begunMs = clock.monotonicMs();
    const ours = new Set(leases.clients());
    const others = [...deps.queues()].flatMap(([clientId, user]) =>
      jobsOf(user) > 0 && !ours.has(clientId) && isNarrow(clientId) ? [clientId] : [],
    );
    await leases.keep(mostOf, isSettled() ? nextOf(others) : []);
    if (others.length + leases.clients().length === 0) return owners.length > 1 ? lookEveryMs : untilWokenMs;
    return Math.min(longestPauseMs, Math.max(tryEveryMs, 4 * (clock.monotonicMs() - begunMs)));
  }

  /** Returns some of these clients, each of them once before one is tried again. */
  function nextOf(clientIds: readonly string[]): string[] {
    const untried = clientIds.filter((clientId) => !tried.has(clientId));
    const next = untried.slice(0, maxTried);
    if (next.length === untried.length) tried.clear();
    else for (const clientId of next) tried.add(clientId);
    return next;
  }

  const looking = createLoop({ name: 'look-at-dispatchers', turn: look, afterErrorMs: lookEveryMs, clock, logger });
  const turns = createLoop({
    name: 'take-call-slots',
    turn: takeTurns,
    minBetweenMs,
    afterErrorMs: lookEveryMs,
    clock,
    logger,
  });
  for (const kind of ['nodes', 'regions'] as const) changes.on(kind, () => looking.poke());

  return {
    start: async () => {
      startedAtMs = clock.monotonicMs();
      await look().catch((error: unknown) => logger.warn({ err: error }, 'the other dispatchers are not known yet'));
      looking.start();
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
      await Promise.all([looking.stop(), turns.stop()]);
      await leases.keep(() => null, []);
    },
  };
}
