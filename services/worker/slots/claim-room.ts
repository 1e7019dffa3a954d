import { maxBatchUsers } from '../../../shared/domain/step/batch.ts';
import type { CallPace } from './call-pace.ts';
import { failingBound } from './failing-feeds.ts';
import { roomOfOpen, roomOfProbe } from './open-breaker.ts';
import { allowedOf, countedCalls, firstCallsOfFeed, slotsOf, type SlotGroup } from './slot-group.ts';

/** Maximum number of additional claims: steps that are claimed although they cannot be called at once. */
const maxClaimedAhead = 300;
/** Share of a lease within which additional claims must be called, because their leases run while they wait. */
const partOfLease = 1 / 3;

export interface AheadTerms {
  leaseMs: number;
  /**
   * Number of flush intervals whose work is claimed in advance: one, plus the part of an interval that a flush takes.
   */
  flushes: number;
}

export function roomOfGroup(group: SlotGroup, terms: AheadTerms, nowMs: number): number {
  if (group.breaker.isOpen(nowMs)) return roomOfOpen(group, nowMs);
  const slots = slotsOf(group, nowMs);
  // During a slow start, only steps that can be called at once are claimed.
  const ahead = group.breaker.allowed(nowMs) < group.pool.capacity ? 0 : aheadOf(slots, group, terms);
  // No more steps are claimed than the rate allows, because the worker would have to release them.
  const wanted = slots + ahead;
  const claims = group.rate?.callsIn(wanted, terms.leaseMs * partOfLease, maxBatchUsers, nowMs) ?? wanted;
  return Math.max(0, claims - competingWaiting(group, slots, nowMs) - countedCalls(group));
}

export function roomOfFeed(group: SlotGroup, feedId: string, terms: AheadTerms, nowMs: number): number {
  const line = group.lines.get(feedId);
  const isOpen = group.breaker.isOpen(nowMs);
  if (!line) return isOpen ? 1 : 2 * firstCallsOfFeed(group.pool);
  const taken = line.waiting.size + line.inFlight;
  if (isOpen) return line.guard.isFailing ? roomOfProbe(group, nowMs) : Math.max(0, 1 - taken);
  const callable = line.inFlight + group.pool.moreCallsOf(line, nowMs);
  const slots = Math.min(allowedOf(line, nowMs), group.pool.capacity, callable);
  const ahead = line.guard.isTroubled ? 0 : aheadOf(slots, line, terms);
  return Math.max(0, slots + ahead - taken);
}

/**
 * Returns how many steps to claim in addition to those that can be called at once: as many as will be called before the
 * next claims arrive, so that a free slot seldom waits for the database. Before anything was measured, this is one
 * round of calls. It is not more, because after a crash, a claim counts as a call that may have begun.
 */
function aheadOf(slots: number, { meanMs, perFlush }: CallPace, { leaseMs, flushes }: AheadTerms): number {
  if (meanMs === 0) return Math.min(maxClaimedAhead, slots);
  const callable = (slots * leaseMs * partOfLease) / meanMs;
  return Math.floor(Math.min(maxClaimedAhead, callable, 1 + perFlush * flushes));
}

/**
 * Returns the number of claimed steps of the shard that compete for slots. Feeds that lend their slots are not counted.
 * Steps of slow feeds are counted only if the feeds may call them now. All failing feeds together count for at most
 * their part of the slots.
 */
function competingWaiting(group: SlotGroup, slots: number, nowMs: number): number {
  const { lines, pool } = group;
  let [failing, others] = [0, 0];
  for (const line of lines.values()) {
    if (line.isLending) continue;
    const competing = Math.min(line.waiting.size, pool.moreCallsOf(line, nowMs));
    if (line.guard.isFailing) failing += competing;
    else others += competing;
  }
  return failing === 0 ? others : others + Math.min(failing, failingBound(group, slots, nowMs));
}
