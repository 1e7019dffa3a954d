import { maxBatchUsers } from '../../../shared/domain/step/batch.ts';
import type { CallPace } from './call-pace.ts';
import { failingBound } from './failing-feeds.ts';
import { roomOfOpen, roomOfProbe } from './open-breaker.ts';
import { allowedOf, countedCalls, firstCallsOfFeed, slotsOf, type SlotGroup } from './slot-group.ts';

/** Upper bound on the steps claimed ahead of the calls. */
const maxClaimedAhead = 300;
/** Share of a lease within which steps claimed ahead are to be called, because their leases run while they wait. */
const partOfLease = 1 / 3;

export interface AheadTerms {
  leaseMs: number;
  /** Flush intervals of work to claim ahead: one, plus the part of the next interval that it takes to write a flush. */
  flushes: number;
}

export function roomOfGroup(group: SlotGroup, terms: AheadTerms, nowMs: number): number {
  if (group.breaker.isOpen(nowMs)) return roomOfOpen(group, nowMs);
  const slots = slotsOf(group, nowMs);
  // During a slow start, claims only steps to call at once, and none ahead.
  const ahead = group.breaker.allowed(nowMs) < group.pool.capacity ? 0 : aheadOf(slots, group, terms);
  // Claims no more steps than the rate allows, because the worker would only release them.
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
 * Returns how many steps to claim ahead: those that will be called before more can be claimed, so that a free slot
 * seldom waits for the database. Before a measurement, this is one round of calls. No more are claimed, because after a
 * crash a claim counts as a call that may have begun.
 */
function aheadOf(slots: number, { meanMs, perFlush }: CallPace, { leaseMs, flushes }: AheadTerms): number {
  if (meanMs === 0) return Math.min(maxClaimedAhead, slots);
  const callable = (slots * leaseMs * partOfLease) / meanMs;
  return Math.floor(Math.min(maxClaimedAhead, callable, 1 + perFlush * flushes));
}

/**
 * Returns the claimed steps of the shard that compete for slots. Excludes feeds that lend their slots. Also excludes
 * steps that slow feeds claimed while they were alone and cannot call now. Failing feeds count with their part of the
 * slots.
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
