import type { Pressure } from '../call/read-answer.ts';
import type { CallEnd } from './breaker.ts';
import { othersAreServed, type FeedLine, type SlotGroup } from './slot-group.ts';

/** How a call ended, as the limits see it. */
export interface ServedCall {
  end: CallEnd;
  /** For people, where it was not answered. */
  cause: string;
  /** Null where the endpoint took it well. */
  pressure: Pressure | null;
  /** What the endpoint asked for; null where it did not. */
  retryAfterMs: number | null;
}

/** A call that has ended, in its line. */
export interface CallInLine {
  group: SlotGroup;
  line: FeedLine;
  startedMs: number;
  nowMs: number;
}

/**
 * What a shard's limits learn from a call of it: the adaptive limit and the breaker. @returns true when the breaker
 * opened by it
 */
export function learnFromCall({ group, line, startedMs, nowMs }: CallInLine, served: ServedCall): boolean {
  const { end, cause, pressure, retryAfterMs } = served;
  const { feedId } = line;
  line.isServed = end === 'answered';
  const othersServed = end !== 'answered' && othersAreServed(group, feedId);
  // What one campaign is answered alone is none of the others' business: its steps wait by themselves.
  const pauseMs = othersServed ? null : retryAfterMs;
  group.adaptive.onEnd({ startedMs, nowMs, inFlight: group.inFlight, pressure, pauseMs });
  return group.breaker.onEnd(end, { feedId, cause, othersAreServed: othersServed, retryAfterMs, nowMs });
}
