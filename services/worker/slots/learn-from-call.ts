import {
  isOwnMatter,
  isPressureShared,
  type CallEnd,
  type Pressure,
} from '../../../shared/domain/endpoint/own-matter.ts';
import { countedCalls, evidenceOf, type FeedLine, type SlotGroup } from './slot-group.ts';

export interface ServedCall {
  /** Monotonic time at which the call was sent. Reads and writes before it are not part of the call's duration. */
  startedMs: number;
  end: CallEnd;
  cause: string;
  /** Sign of overload of the endpoint; null if there was none. */
  pressure: Pressure | null;
  /** Pause in milliseconds that the endpoint requested; null if it requested none. */
  retryAfterMs: number | null;
}

export interface CallInLine {
  group: SlotGroup;
  line: FeedLine;
  nowMs: number;
  /** True if the call began while the breaker was open, and was not the breaker's probe. */
  isFirstHand: boolean;
}

/**
 * Updates guards after a call: always the guard of its feed, and the breaker and the adaptive limit of its shard unless
 * the end concerns the feed alone (own-matter.ts).
 * @returns true if the breaker opened because of this call
 */
export function learnFromCall(call: CallInLine, served: ServedCall): boolean {
  const { group, line, nowMs, isFirstHand } = call;
  const { startedMs, end, cause, pressure, retryAfterMs } = served;
  const { feedId, guard } = line;
  const isRecovery = isFirstHand && isRecoveryFor(line, group);
  const isFailure = end !== 'answered';
  const othersAreServed = isFailure && isOwnMatter('failure', feedId, evidenceOf(group), startedMs);
  guard.onEnd({
    end,
    startedMs,
    nowMs,
    inFlight: line.inFlight,
    pressure,
    retryAfterMs,
    isOwnMatter: othersAreServed,
  });
  const isLearned = pressure === null ? !isFailure : isPressureOfShard(call, startedMs);
  if (isLearned) {
    const inFlight = countedCalls(group);
    const { isSlower } = guard.times;
    group.adaptive.onEnd({ startedMs, nowMs, inFlight, pressure, pauseMs: retryAfterMs, isSlower });
  }
  if (isFirstHand) {
    if (!isFailure) group.breaker.onAlive(startedMs, nowMs, isRecovery);
    return false;
  }
  return group.breaker.onEnd(end, { feedId, cause, othersAreServed, retryAfterMs, startedMs, nowMs });
}

/**
 * Returns true if an answer to this feed shows that the endpoint works again for all feeds. Returns false if the feed
 * was answered since its last failure, or if exactly one feed is failing.
 */
function isRecoveryFor({ guard }: FeedLine, { lines }: SlotGroup): boolean {
  if (guard.answeredAtMs > guard.failedAtMs) return false;
  let failing = 0;
  for (const line of lines.values()) if (line.guard.isFailing) failing++;
  return failing !== 1;
}

/**
 * Returns true if several feeds have signs of overload, and no feed is served without them. The overload of a single
 * feed lowers only the limit of that feed. Always false while the breaker is open: the breaker then limits the calls,
 * and a limit that was lowered by its probes would last longer than the slow start.
 */
function isPressureOfShard({ group, line: { feedId }, nowMs }: CallInLine, startedMs: number): boolean {
  if (group.breaker.isOpen(nowMs)) return false;
  if (!isPressureShared(feedId, evidenceOf(group), startedMs)) return false;
  return !isOwnMatter('pressure', feedId, evidenceOf(group), startedMs);
}
