import { countedCalls, countedWaiting, slotsOf, type SlotGroup } from './slot-group.ts';

/**
 * Milliseconds between two flushes. `idleFlushMs`: if no step is being called or waits for a slot. The next one: while
 * free slots wait for steps. The last one: maximum.
 */
const idleFlushMs = 5;
export const quickFlushMs = 25;
const maxFlushIntervalMs = 100;
/** Number of calls in flight below which a flush waits for two rounds of calls, so that more results share its cost. */
const fewCalls = 50;

interface CallsUnderWay {
  groups: ReadonlyMap<string, SlotGroup>;
  inFlight: number;
  waiting: number;
}

/**
 * Returns the maximum time in milliseconds from one flush to the next.
 * @param queued topics with steps that wait to be claimed. If there are free slots for them, the time is shorter.
 */
export function betweenFlushesMs(
  { groups, inFlight, waiting }: CallsUnderWay,
  queued: Iterable<string>,
  nowMs: number,
): number {
  if (inFlight + waiting === 0) return idleFlushMs;
  const hasFreeSlot = (topic: string) => {
    const group = groups.get(topic);
    return group === undefined || countedCalls(group) + countedWaiting(group) < slotsOf(group, nowMs);
  };
  for (const topic of queued) if (hasFreeSlot(topic)) return quickFlushMs;
  const rounds = inFlight < fewCalls ? 2 : 1;
  let quickestMs = maxFlushIntervalMs;
  for (const [topic, group] of groups) {
    if (group.inFlight === 0) continue;
    if (hasFreeSlot(topic)) return quickFlushMs;
    quickestMs = Math.min(quickestMs, rounds * group.meanMs);
  }
  return Math.max(quickFlushMs, Math.round(quickestMs));
}
