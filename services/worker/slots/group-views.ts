import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { ShardLevels } from '../report/worker-meter.ts';
import type { Breaker } from './breaker.ts';
import type { RateLimit } from './rate-limit.ts';
import { slotsOf, type SlotGroup } from './slot-group.ts';

export interface GuardedShard {
  readonly shard: Shard;
  readonly topic: string;
  readonly breaker: Breaker;
  readonly hasCalls: boolean;
  readonly hasWaiting: boolean;
}

export interface RatedAction {
  readonly actionType: string;
  readonly rate: RateLimit;
  readonly hasWork: boolean;
}

export function guardedShards(groups: Iterable<SlotGroup>): GuardedShard[] {
  return [...groups].map(({ shard, topic, breaker, inFlight, waiting }) => ({
    shard,
    topic,
    breaker,
    hasCalls: inFlight > 0,
    hasWaiting: waiting > 0,
  }));
}

/**
 * Yields the action types that have a rate and work to do.
 * @param queued topics with steps that wait to be claimed
 */
export function ratedActions(groups: Iterable<SlotGroup>, queued: Iterable<string>): Iterable<RatedAction> {
  const topics = new Set(queued);
  const rated = new Map<RateLimit, RatedAction>();
  for (const { shard, topic, rate, inFlight, waiting } of groups) {
    if (!rate) continue;
    const hasWork = (rated.get(rate)?.hasWork ?? false) || inFlight + waiting > 0 || topics.has(topic);
    rated.set(rate, { actionType: shard.actionType, rate, hasWork });
  }
  return rated.values();
}

/**
 * Returns the levels of these shards, for reports.
 * @param recordedIn returns the number of a topic's steps that were done since the start
 */
export function levelsOf(
  groups: readonly SlotGroup[],
  recordedIn: (topic: string) => number,
  nowMs: number,
): ShardLevels[] {
  return groups.map((group) => ({
    shard: group.shard,
    inFlight: group.inFlight,
    limit: limitOf(group, nowMs),
    waiting: group.waiting,
    isBreakerOpen: group.breaker.isOpen(nowMs),
    recorded: recordedIn(group.topic),
  }));
}

/**
 * Returns the number of slots of the shard, or the sum of what the guards of its active feeds allow, if that is less.
 */
function limitOf(group: SlotGroup, nowMs: number): number {
  const slots = slotsOf(group, nowMs);
  const lines = [...group.lines.values()].filter(({ inFlight, waiting }) => inFlight + waiting.size > 0);
  if (lines.length === 0) return slots;
  return Math.min(
    slots,
    lines.reduce((sum, { guard }) => sum + guard.allowedAfterWarmUp(nowMs), 0),
  );
}
