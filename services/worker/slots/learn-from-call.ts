import {
  isOwnMatter,
  isPressureShared,
  type CallEnd,
  type Pressure,
} from '../../../shared/domain/endpoint/own-matter.ts';
import { countedCalls, evidenceOf, type FeedLine, type SlotGroup } from './slot-group.ts';

export interface ServedCall {
  end: CallEnd;
  cause: string;
  /** Null if the endpoint took the call well. */
  pressure: Pressure | null;
  /** Pause that the endpoint requested; null if it did not. */
  retryAfterMs: number | null;
}

export interface CallInLine {
  group: SlotGroup;
  line: FeedLine;
  startedMs: number;
  nowMs: number;
  /** True if the call began while the breaker was open, without being its probe. */
  isFirstHand: boolean;
}

/**
 * Updates the guards after a call: the feed's own one, and those of the shard unless the end concerns the feed alone
 * (own-matter.ts).
 * @returns true if the breaker opened because of it
 */
export function learnFromCall(call: CallInLine, served: ServedCall): boolean {
  const { group, line, startedMs, nowMs, isFirstHand } = call;
  const { end, cause, pressure, retryAfterMs } = served;
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
  const isLearned = pressure === null ? !isFailure : isPressureOfShard(call);
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
 * True if an answer to this line shows that the endpoint is back for all feeds: the endpoint has not served this line
 * since it failed, and the number of failing feeds is not exactly one.
 */
function isRecoveryFor({ guard }: FeedLine, { lines }: SlotGroup): boolean {
  if (guard.answeredAtMs > guard.failedAtMs) return false;
  let failing = 0;
  for (const line of lines.values()) if (line.guard.isFailing) failing++;
  return failing !== 1;
}

/**
 * True if several feeds meet pressure, and no feed is served without it. Pressure on one feed is learned by that feed's
 * limit alone. While the breaker is open it bounds the calls: a limit reduced by its probes would outlast its slow
 * start.
 */
function isPressureOfShard({ group, line: { feedId }, startedMs, nowMs }: CallInLine): boolean {
  if (group.breaker.isOpen(nowMs)) return false;
  if (!isPressureShared(feedId, evidenceOf(group), startedMs)) return false;
  return !isOwnMatter('pressure', feedId, evidenceOf(group), startedMs);
}
