import type { Clock } from '../../../shared/ports/clock.ts';
import type { JobNodes } from '../../../shared/ports/job-nodes.ts';
import type { Leases } from '../../../shared/ports/leases.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import { createSlotLeases, jobsOf, type SlotUser } from './slot-leases.ts';
import { slotShare } from './slot-shares.ts';

const lookEveryMs = 500;
/** The same while it is alone, as who comes is told; still more than one look in the time that follows. */
const aloneLookEveryMs = 1000;
/** With nothing to take turns for, it is woken. */
const untilWokenMs = 60_000;
/** What was read of the others is good for so long; and one that comes begins when all have read of it. */
const goodForMs = 3000;
/** Who is not listed, as its region is switched off, claims nothing and need not wait. */
const longestStartMs = 2 * goodForMs;
/** Between two tries to get a slot that another dispatcher has. */
const tryEveryMs = 100;
/** Between two turns, however often something comes. */
const minBetweenMs = 20;
/** After a turn that took long. */
const longestPauseMs = 500;
/** Clients that are tried in one turn and its statement, beside those that have a slot here. */
const maxTried = 250;

export interface ClientSlotsDeps {
  nodes: Pick<JobNodes, 'dispatchers'>;
  leases: Leases;
  owner: string;
  /** Of a client, over all dispatchers. */
  concurrencyOf: (clientId: string) => number;
  /** Returns the jobs of each client on this dispatcher, as they are now. */
  queues: () => ReadonlyMap<string, SlotUser>;
  /** There may be more to claim now. */
  onGained: () => void;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

/**
 * The part of each client's calls in flight that is ours: its number shared out among the dispatchers of all regions.
 * Where there are more dispatchers than that, they take turns by leases, one for each call.
 */
export interface ClientSlots {
  /** Resolves when it was tried to learn who else is there. */
  start(): Promise<void>;
  /** Whether it has its part now. */
  isSettled(): boolean;
  /** Resolves when it has its part: what is sent here before would wait for that. Or it need not be waited for. */
  settled(): Promise<void>;
  giveUp(): void;
  /**
   * Calls of a client that may be in flight here, by what was read last of the other dispatchers, however old it is.
   * Claimed jobs begin by this number.
   */
  of(clientId: string): number;
  /** Nothing more of a client may be claimed: its turn is over, or what was read of the others is too old. */
  isClosed(clientId: string): boolean;
  /** There is something of a client that may have no slot. */
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
    const askedMs = clock.monotonicMs();
    const before = owners.length;
    owners = await nodes.dispatchers();
    readAtMs = askedMs;
    if (!owners.includes(owner)) listedSinceMs = Infinity;
    else if (owners.length === 1) listedSinceMs = -Infinity;
    else listedSinceMs = Math.min(listedSinceMs, clock.monotonicMs());
    if (owners.length !== before) {
      deps.onGained();
      turns.poke();
    }
    const everyMs = owners.length === 1 && changes.isConnected() ? aloneLookEveryMs : lookEveryMs;
    // An answer that comes late is old already.
    return Math.max(0, askedMs + everyMs - clock.monotonicMs());
  }

  /** All others have made room for its part. */
  const hasJoined = () => clock.monotonicMs() - listedSinceMs >= goodForMs;
  const isSettled = () => hasJoined() && clock.monotonicMs() - readAtMs < goodForMs;

  const isNarrow = (clientId: string) => concurrencyOf(clientId) < owners.length;

  /** Slots of a client that takes turns; none more while what is known of the others is too old. */
  function mostOf(clientId: string): number | null {
    if (!isNarrow(clientId)) return null;
    return isSettled() ? concurrencyOf(clientId) : 0;
  }

  /** One turn over the clients that have fewer slots than there are dispatchers. */
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

  /** Some of these clients, each of them before one is tried again. */
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
