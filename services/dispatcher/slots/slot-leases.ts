import type { Clock } from '../../../shared/ports/clock.ts';
import { deadAfterMs } from '../../../shared/ports/job-nodes.ts';
import type { HeldLease, Leases } from '../../../shared/ports/leases.ts';
import type { ClientQueue } from '../jobs/client-queue.ts';

/**
 * Duration of a lease in milliseconds. It equals the time after which other dispatchers may take the claims of a dead
 * one. The holder stops using the lease `marginMs` earlier.
 */
const ttlMs = deadAfterMs;
const marginMs = 1000;
const renewBelowMs = ttlMs / 2;
/**
 * Duration of a turn in milliseconds. After its turn, a dispatcher leaves the slots to others for `restMs`, even if it
 * has more jobs.
 */
const turnMs = 1000;
const restMs = 250;

export type SlotUser = Pick<ClientQueue, 'length' | 'claiming' | 'claimed' | 'inFlight'>;

const nothing: SlotUser = { length: 0, claiming: 0, claimed: [], inFlight: 0 };

interface Slot {
  lease: HeldLease;
  untilMs: number;
}

interface Turn {
  /** The slots of the client that this dispatcher holds, by number from 0. */
  slots: Map<number, Slot>;
  sinceMs: number;
  isOver: boolean;
}

/** Request for any `count` of a client's slots with these numbers that are free. */
interface WantedSlots {
  clientId: string;
  numbers: readonly number[];
  count: number;
}

export interface SlotLeasesDeps {
  leases: Pick<Leases, 'acquireSome' | 'releaseAll'>;
  owner: string;
  /** Returns the current jobs of a client on this dispatcher, undefined if there are none. */
  userOf: (clientId: string) => SlotUser | undefined;
  /** Called when this dispatcher has acquired more slots. */
  onGained: () => void;
  clock: Pick<Clock, 'monotonicMs'>;
}

/** Slots of clients that have fewer slots than there are dispatchers. Each lease permits one call in flight. */
export interface SlotLeases {
  /** Returns the clients of which this dispatcher holds a slot. */
  clients(): string[];
  of(clientId: string): number;
  /** Returns true if the client's turn is over, so that no more of its jobs are claimed. */
  isClosed(clientId: string): boolean;
  /**
   * Releases and renews the slots of all clients of which this dispatcher holds slots. Acquires more slots for these
   * clients and for `others`. Takes two statements in total. A job whose claim is being written keeps its slot.
   * @param mostOf returns a client's slots over all dispatchers; 0 to acquire no more; null if the dispatchers take no
   * turns for this client
   * @throws if a statement has failed; the other one was still executed, and the next call repeats what is missing
   */
  keep(mostOf: (clientId: string) => number | null, others: readonly string[]): Promise<void>;
}

export function createSlotLeases({ leases, owner, userOf, onGained, clock }: SlotLeasesDeps): SlotLeases {
  const turns = new Map<string, Turn>();
  /** Monotonic times, by client, until which this dispatcher leaves the slots to others. `keep` removes past times. */
  const rests = new Map<string, number>();
  /** Slots that this dispatcher does not use any more, but whose leases are not released yet. */
  let leaving: Slot[] = [];

  const slotsOf = (clientId: string): Slot[] => {
    const nowMs = clock.monotonicMs();
    return [...(turns.get(clientId)?.slots.values() ?? [])].filter(({ untilMs }) => untilMs > nowMs);
  };

  /** Stops using slots on this dispatcher at once, so that no claim uses a slot while its lease is being released. */
  function giveUp(clientId: string): void {
    leaving.push(...(turns.get(clientId)?.slots.values() ?? []));
    turns.delete(clientId);
  }

  /** Ends a turn that has lasted long enough, and gives up slots that are no longer needed. */
  function settle(clientId: string, turn: Turn, isWanted: boolean): void {
    const nowMs = clock.monotonicMs();
    const queue = userOf(clientId) ?? nothing;
    if (nowMs - turn.sinceMs >= turnMs) turn.isOver = true;
    const needsNone = underWay(queue) === 0 && (turn.isOver || queue.length === 0);
    if (isWanted && !needsNone) return;
    if (turn.isOver) rests.set(clientId, nowMs + restMs);
    giveUp(clientId);
  }

  /** Returns the slots whose leases must be renewed now. */
  function renewals(): WantedSlots[] {
    const nowMs = clock.monotonicMs();
    return [...turns].flatMap(([clientId, { slots }]) =>
      [...slots]
        .filter(([, { untilMs }]) => untilMs - nowMs <= renewBelowMs)
        .map(([number]) => ({ clientId, numbers: [number], count: 1 })),
    );
  }

  /** Returns the slots that a client needs in addition to those that it has. */
  function missing(clientId: string, most: number): WantedSlots[] {
    const turn = turns.get(clientId);
    const queue = userOf(clientId) ?? nothing;
    if (turn?.isOver || rests.has(clientId)) return [];
    const count = Math.min(most, jobsOf(queue)) - (turn?.slots.size ?? 0);
    if (count <= 0) return [];
    // A slot is not requested again while it is being released. A release that failed may still take effect later, and
    // would then release the new lease.
    const left = new Set(leaving.map(({ lease }) => lease.name));
    const isFree = (nth: number) => !turn?.slots.has(nth) && !left.has(nameOf(clientId, nth));
    const numbers = Array.from({ length: most }, (_, nth) => nth).filter(isFree);
    return numbers.length > 0 ? [{ clientId, numbers, count }] : [];
  }

  /** Acquires and renews leases. A lease that the statement does not return belongs to another dispatcher. */
  async function acquire(wanted: readonly WantedSlots[]): Promise<void> {
    if (wanted.length === 0) return;
    const requestedAtMs = clock.monotonicMs();
    const names = wanted.map(({ clientId, numbers, count }) => ({
      names: numbers.map((number) => nameOf(clientId, number)),
      count,
    }));
    const held = await leases.acquireSome(names, owner, ttlMs);
    const byName = new Map(held.map((lease) => [lease.name, lease]));
    let gained = false;
    for (const { clientId, numbers } of wanted) {
      const turn = turns.get(clientId) ?? { slots: new Map<number, Slot>(), sinceMs: Infinity, isOver: false };
      for (const number of numbers) {
        const lease = byName.get(nameOf(clientId, number));
        gained ||= lease !== undefined && !turn.slots.has(number);
        if (lease) turn.slots.set(number, { lease, untilMs: requestedAtMs + ttlMs - marginMs });
        else turn.slots.delete(number);
      }
      // The turn begins when its first slot was acquired, not when the slot was requested.
      if (turn.sinceMs === Infinity) turn.sinceMs = clock.monotonicMs();
      if (turn.slots.size === 0) turns.delete(clientId);
      else turns.set(clientId, turn);
    }
    if (gained) onGained();
  }

  async function releaseLeaving(): Promise<void> {
    if (leaving.length === 0) return;
    const released = leaving;
    await leases.releaseAll(released.map(({ lease }) => lease));
    leaving = leaving.filter((slot) => !released.includes(slot));
  }

  return {
    clients: () => [...turns.keys()],
    of: (clientId) => slotsOf(clientId).length,
    isClosed: (clientId) => turns.get(clientId)?.isOver ?? true,
    keep: async (mostOf, others) => {
      const nowMs = clock.monotonicMs();
      for (const [clientId, untilMs] of rests) if (untilMs <= nowMs) rests.delete(clientId);
      leaving = leaving.filter(({ untilMs }) => untilMs + marginMs > nowMs);
      for (const [clientId, turn] of [...turns]) settle(clientId, turn, mostOf(clientId) !== null);
      const tried = new Set([...turns.keys(), ...others]);
      const wanted = [...renewals(), ...[...tried].flatMap((clientId) => missing(clientId, mostOf(clientId) ?? 0))];
      const releasing = releaseLeaving();
      const acquiring = acquire(wanted);
      await Promise.allSettled([releasing, acquiring]);
      await Promise.all([releasing, acquiring]);
    },
  };
}

/** Returns the number of a client's jobs on this dispatcher. A client without jobs needs no slot. */
export function jobsOf(user: SlotUser): number {
  return user.length + underWay(user);
}

function underWay({ claiming, claimed, inFlight }: SlotUser): number {
  return claiming + claimed.length + inFlight;
}

function nameOf(clientId: string, number: number): string {
  return `call-slot/${clientId}/${number}`;
}
