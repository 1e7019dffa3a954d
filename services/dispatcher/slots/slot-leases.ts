import type { Clock } from '../../../shared/ports/clock.ts';
import { deadAfterMs } from '../../../shared/ports/job-nodes.ts';
import type { HeldLease, Leases } from '../../../shared/ports/leases.ts';
import type { ClientQueue } from '../client-queue.ts';

/** As long as what a dead dispatcher claimed is its own; ours are used a little shorter than that. */
const ttlMs = deadAfterMs;
const marginMs = 1000;
const renewBelowMs = ttlMs / 2;
/** Who has more to call leaves its slots to others after this, for so long. */
const turnMs = 1000;
const restMs = 250;

type Queue = Pick<ClientQueue, 'length' | 'claimed' | 'inFlight'>;

interface Slot {
  lease: HeldLease;
  untilMs: number;
}

interface Turn {
  /** By number, from 0. */
  slots: Map<number, Slot>;
  sinceMs: number;
  isOver: boolean;
}

export interface SlotLeasesDeps {
  leases: Leases;
  owner: string;
  clock: Pick<Clock, 'monotonicMs'>;
}

/** Slots of clients that have fewer than there are dispatchers: the lease of one allows one call in flight. */
export interface SlotLeases {
  readonly held: number;
  of(clientId: string): number;
  /** Its turn is over: nothing more is claimed. */
  isClosed(clientId: string): boolean;
  /**
   * Takes, renews or gives back what is here for.
   * @param most slots of the client
   * @returns whether there are more than before
   */
  keep(clientId: string, most: number, queue: Queue): Promise<boolean>;
  /** Gives back all of clients that are not named. */
  releaseOthers(clientIds: ReadonlySet<string>): Promise<void>;
}

export function createSlotLeases({ leases, owner, clock }: SlotLeasesDeps): SlotLeases {
  const turns = new Map<string, Turn>();
  /** By client, until when others are to have theirs. */
  const rests = new Map<string, number>();

  const slotsOf = (clientId: string): Slot[] => {
    const nowMs = clock.monotonicMs();
    return [...(turns.get(clientId)?.slots.values() ?? [])].filter(({ untilMs }) => untilMs > nowMs);
  };

  async function take(clientId: string, nth: number, turn: Turn): Promise<boolean> {
    const askedMs = clock.monotonicMs();
    const lease = await leases.acquire(`call-slot/${clientId}/${nth}`, owner, ttlMs);
    if (lease) turn.slots.set(nth, { lease, untilMs: askedMs + ttlMs - marginMs });
    return lease !== null;
  }

  async function renew(turn: Turn): Promise<void> {
    for (const [nth, slot] of [...turn.slots]) {
      const askedMs = clock.monotonicMs();
      if (slot.untilMs - askedMs > renewBelowMs) continue;
      if (await leases.renew(slot.lease, ttlMs)) slot.untilMs = askedMs + ttlMs - marginMs;
      else turn.slots.delete(nth);
    }
  }

  async function release(clientId: string): Promise<void> {
    const slots = turns.get(clientId)?.slots ?? new Map<number, Slot>();
    turns.delete(clientId);
    for (const { lease } of slots.values()) await leases.release(lease);
  }

  async function gain(clientId: string, turn: Turn, most: number, wanted: number): Promise<boolean> {
    let gained = false;
    for (let nth = 0; nth < most && turn.slots.size < wanted; nth++) {
      if (!turn.slots.has(nth) && (await take(clientId, nth, turn))) gained = true;
    }
    return gained;
  }

  return {
    get held() {
      return turns.size;
    },
    of: (clientId) => slotsOf(clientId).length,
    isClosed: (clientId) => turns.get(clientId)?.isOver ?? true,
    keep: async (clientId, most, queue) => {
      const nowMs = clock.monotonicMs();
      const underWay = queue.claimed.length + queue.inFlight;
      const turn = turns.get(clientId) ?? { slots: new Map<number, Slot>(), sinceMs: nowMs, isOver: false };
      await renew(turn);
      if (turn.slots.size > 0 && nowMs - turn.sinceMs >= turnMs) turn.isOver = true;
      if (underWay === 0 && (turn.isOver || queue.length === 0)) {
        if (turn.isOver) rests.set(clientId, nowMs + restMs);
        await release(clientId);
        return false;
      }
      if (turn.isOver || nowMs < (rests.get(clientId) ?? 0)) return false;
      rests.delete(clientId);
      const gained = await gain(clientId, turn, most, Math.min(most, queue.length + underWay));
      if (turn.slots.size > 0) turns.set(clientId, turn);
      return gained;
    },
    releaseOthers: async (clientIds) => {
      for (const clientId of rests.keys()) if (!clientIds.has(clientId)) rests.delete(clientId);
      for (const clientId of [...turns.keys()]) if (!clientIds.has(clientId)) await release(clientId);
    },
  };
}
