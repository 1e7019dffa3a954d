import {
  isOwnMatter,
  isPressureShared,
  type CallEnd,
  type Pressure,
} from '../../../shared/domain/endpoint/own-matter.ts';
import { countedCalls, evidenceOf, type FeedLine, type SlotGroup } from './slot-group.ts';

/** End of a call, as the limits see it. */
export interface ServedCall {
  end: CallEnd;
  /** For people, if the call was not answered. */
  cause: string;
  /** Null if the endpoint took the call well. */
  pressure: Pressure | null;
  /** Pause that the endpoint asked for; null if it did not. */
  retryAfterMs: number | null;
}

/** A call that has ended, in its line. */
export interface CallInLine {
  group: SlotGroup;
  line: FeedLine;
  startedMs: number;
  nowMs: number;
  /** True if the call began while the breaker was open, without being its probe. */
  isFirstHand: boolean;
}

/**
 * Teaches the guards what a call met: the feed's own guard always, and the shard's limit and breaker unless it is the
 * feed's own matter (own-matter.ts).
 * @returns true if the breaker opened by it
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
 * True if an answer to this line would show that the endpoint is back for all feeds: it has not served this one before,
 * and it is not one other feed alone that fails.
 */
function isRecoveryFor({ guard }: FeedLine, { lines }: SlotGroup): boolean {
  if (guard.answeredAtMs > guard.failedAtMs) return false;
  let failing = 0;
  for (const line of lines.values()) if (line.guard.isFailing) failing++;
  return failing !== 1;
}

/**
 * True if several feeds meet pressure, and none is served without. The limit of one feed learns what that feed meets
 * alone. While the breaker is open it bounds the calls: a limit cut by its probes would outlast its slow start.
 */
function isPressureOfShard({ group, line: { feedId }, startedMs, nowMs }: CallInLine): boolean {
  if (group.breaker.isOpen(nowMs)) return false;
  if (!isPressureShared(feedId, evidenceOf(group), startedMs)) return false;
  return !isOwnMatter('pressure', feedId, evidenceOf(group), startedMs);
}
