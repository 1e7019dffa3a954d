import type { CallEnd, Pressure } from '../../../shared/domain/endpoint/own-matter.ts';
import { isOwnMatter } from '../../../shared/domain/endpoint/own-matter.ts';
import { createSourceGuard } from '../../../shared/domain/endpoint/source-guard.ts';
import { newRouteLine, type RouteLine } from './route-line.ts';
import { firstCallsOf, halfOf, reservedOf } from './route-slots.ts';

/** Maximum number of routes in memory per endpoint. If there are more, the least recently called route is dropped. */
const maxLines = 64;
/** Id of the one line that all further routes share when there are `maxLines` lines. */
const otherRoutes = '';
/** Time in milliseconds after the last call of a route during which the route still counts as active beside others. */
const activeForMs = 10_000;
/**
 * A route flows if its last response is at most `leastFlowMs` milliseconds ago. For slow calls, half of their duration
 * takes the place of `leastFlowMs`.
 */
const leastFlowMs = 50;
/**
 * A route is slow if its calls take at least `slowMs`, and more than `slowerTimes` times as long as the calls of
 * another active route.
 */
const slowerTimes = 4;
const slowMs = 500;
/**
 * Minimum and maximum delay in milliseconds after which a released job is due again. If too many jobs would be due in
 * the same second, the delay is longer, up to `mostPacedMs`.
 */
const leastBackMs = 500;
const mostBackMs = 30_000;
/** Maximum delay in milliseconds of a released job, however many jobs are due in a second. */
const mostPacedMs = 120_000;

export interface RouteCallEnd {
  end: CallEnd;
  /** Overload that the receiver signals with its answer; null if there is none. */
  pressure: Pressure | null;
  /** Pause in milliseconds that the receiver requested; null if it requested none. */
  retryAfterMs: number | null;
}

/**
 * Shares the slots of a client's endpoint among the routes that its jobs call, so that no route can fill all slots with
 * calls that hang. A line is the state of one route. Each dispatcher learns from its own calls, and keeps the results
 * while the endpoint is idle.
 */
export interface RouteLines {
  readonly size: number;
  /**
   * Returns the line of a route. The line is kept as long as the route has calls or claimed jobs.
   * @param slots the endpoint's slots. If the dispatcher as a whole has too few slots, not all of them are usable.
   */
  of(route: string, slots: number): RouteLine;
  /** Returns how many calls of the line may be in flight. @param slots slots that the endpoint can use */
  allowed(line: RouteLine, slots: number): number;
  /**
   * Returns the number of claimed jobs that wait because their route does not answer, while the endpoint has other
   * routes.
   */
  heldUp(slots: number): number;
  /** Returns the lines that have claimed jobs, but for which no call may begin for a long time. */
  blocked(slots: number): ReadonlySet<RouteLine>;
  /** Returns true if no other route has calls or claimed jobs, and none was called within the last ten seconds. */
  isAlone(line: RouteLine): boolean;
  /**
   * Returns true if so many jobs of the line are released that one more could not be due again within the maximum
   * delay.
   */
  isReturnFull(line: RouteLine, perSecond: number): boolean;
  /**
   * Returns the delay in milliseconds until a released job of the line is due again. The delays are such that at any
   * time, about as many jobs are due as the line can call.
   * @param perSecond maximum number of the endpoint's released jobs that may be due in a second
   */
  backInMs(line: RouteLine, slots: number, perSecond: number): number;
  begin(line: RouteLine): void;
  /**
   * Reports that a call of the line has ended.
   * @param call null if no call was made
   */
  end(line: RouteLine, startedMs: number, call: RouteCallEnd | null): void;
}

export interface RouteLinesDeps {
  monotonicMs: () => number;
  /** Random number in [0, 1). */
  random: () => number;
}

export function createRouteLines(
  { monotonicMs, random }: RouteLinesDeps,
  onMore: () => void = () => undefined,
): RouteLines {
  const lines = new Map<string, RouteLine>();
  const calling = new Set<RouteLine>();
  let guardedSlots = 0;
  let most = 0;

  function resize(slots: number): void {
    if (slots === guardedSlots || slots === 0) return;
    guardedSlots = slots;
    for (const { guard } of lines.values()) guard.resize(1, slots);
  }

  function create(id: string): RouteLine {
    const limits = { minConcurrency: 1, maxConcurrency: Math.max(1, guardedSlots), firstCalls: halfOf(guardedSlots) };
    const guard = createSourceGuard({ id, ...limits, random });
    const line = newRouteLine(guard);
    lines.set(id, line);
    if (lines.size > most) {
      most = lines.size;
      onMore();
    }
    return line;
  }

  function of(route: string, slots: number): RouteLine {
    resize(slots);
    const known = lines.get(route);
    if (known) {
      if (lines.size > 1) {
        lines.delete(route);
        lines.set(route, known);
      }
      return known;
    }
    if (lines.size < maxLines) return create(route);
    for (const [id, line] of lines) {
      if (line.inFlight + line.waiting > 0) continue;
      lines.delete(id);
      return create(route);
    }
    return lines.get(otherRoutes) ?? create(otherRoutes);
  }

  function* besides(line: RouteLine): Iterable<RouteLine> {
    const nowMs = monotonicMs();
    for (const other of lines.values()) {
      if (other === line) continue;
      if (other.inFlight + other.waiting > 0 || nowMs - other.lastBeginMs < activeForMs) yield other;
    }
  }

  function isAlone(line: RouteLine): boolean {
    for (const other of besides(line)) return other === line;
    return true;
  }

  /**
   * Returns true if the line flows: it gets answers continually, and its calls are not much slower than those of other
   * lines. A line that flows may use most slots.
   */
  function isFlowing(line: RouteLine): boolean {
    const { answeredAtMs, times } = line.guard;
    return monotonicMs() - answeredAtMs <= Math.max(leastFlowMs, times.recentMs / 2) && !isSlow(line);
  }

  function isSlow(line: RouteLine): boolean {
    const { recentMs } = line.guard.times;
    if (recentMs < slowMs) return false;
    for (const { guard } of besides(line)) {
      if (guard.times.recentMs > 0 && recentMs > slowerTimes * guard.times.recentMs) return true;
    }
    return false;
  }

  /**
   * Returns true if calls of the line have occupied their slots without a response for so long that they seem to hang.
   */
  function isStuck({ guard, silentSinceMs }: RouteLine): boolean {
    return monotonicMs() - silentSinceMs >= guard.stuckAfterMs;
  }

  function allowed(line: RouteLine, slots: number): number {
    const { guard } = line;
    if (lines.size === 1 || isAlone(line)) {
      return guard.answeredAtMs === -Infinity || (line.isSilent && isStuck(line)) ? halfOf(slots) : slots;
    }
    const most = isFlowing(line) ? slots - reservedOf(slots) : remainingSlots(line, slots);
    return Math.min(most, guard.allowed(monotonicMs()));
  }

  /** Returns true if there is no evidence that calls of the line are answered at present. */
  function isDoubtful(line: RouteLine): boolean {
    const { guard, inFlight } = line;
    return guard.answeredAtMs === -Infinity || guard.isFailing || guard.isTroubled || (inFlight > 0 && isStuck(line));
  }

  /**
   * Returns how many calls a line that does not flow may have beside other active lines. All lines that do not flow
   * share half of the slots. For a line that gets answers, calls of lines without answers do not count towards this
   * half, so that the line does not wait for calls that hang. They do count while the line itself is late. A line that
   * gets answers may always have one call. A line may make its first call even if the half is used up.
   */
  function remainingSlots(line: RouteLine, slots: number): number {
    const { doubtful, restless } = slotsOfOthers(line);
    const held = doubtful + restless;
    if (!isDoubtful(line)) return Math.max(1, halfOf(slots) - (isLate(line) ? held : restless));
    const first = line.lastBeginMs === -Infinity && held < firstCallsOf(slots) ? 1 : 0;
    return Math.max(first, halfOf(slots) - held);
  }

  /** Returns true if calls of the line are in flight, and no call has ended for the usual duration of a call. */
  function isLate({ inFlight, guard, silentSinceMs }: RouteLine): boolean {
    return inFlight > 0 && monotonicMs() - silentSinceMs > guard.times.recentMs;
  }

  /**
   * Returns the number of calls of other lines that do not flow. `doubtful` counts the calls of doubtful lines,
   * `restless` those of lines that get answers.
   */
  function slotsOfOthers(line: RouteLine): { doubtful: number; restless: number } {
    const held = { doubtful: 0, restless: 0 };
    for (const other of calling) {
      if (other === line || isFlowing(other)) continue;
      if (isDoubtful(other)) held.doubtful += other.inFlight;
      else if (other.inFlight > 1) held.restless += other.inFlight;
    }
    return held;
  }

  /** Returns true if the line waits because other lines occupy slots with calls that hang. */
  function isBlockedByStuck(line: RouteLine): boolean {
    if (isFlowing(line) || !isDoubtful(line)) return false;
    for (const other of calling) if (other !== line && isStuck(other)) return true;
    return false;
  }

  /** Returns the number of lines with released jobs that are not due again yet. */
  function countAway(nowMs: number): number {
    let count = 0;
    for (const { backAtMs } of lines.values()) if (backAtMs > nowMs) count++;
    return count;
  }

  function isBlocked(line: RouteLine, slots: number): boolean {
    const most = allowed(line, slots);
    if (line.inFlight < most || most >= slots) return false;
    if (line.inFlight > 0 && isStuck(line)) return true;
    if (isAlone(line)) return false;
    const isPaused = line.guard.isTroubled || line.guard.waitMs(monotonicMs()) > 0;
    return isPaused || isSlow(line) || isBlockedByStuck(line);
  }

  function nextBackMs(line: RouteLine, nowMs: number, perSecond: number): number {
    return line.backAtMs + (1000 * countAway(nowMs)) / perSecond;
  }

  return {
    get size() {
      return lines.size;
    },
    of,
    allowed,
    heldUp: (slots) => {
      let jobs = 0;
      if (lines.size === 1) return jobs;
      for (const line of lines.values()) {
        if (line.waiting > 0 && line.inFlight >= allowed(line, slots) && !isFlowing(line)) jobs += line.waiting;
      }
      return jobs;
    },
    blocked: (slots) => {
      const blocked = new Set<RouteLine>();
      for (const line of lines.values()) if (line.waiting > 0 && isBlocked(line, slots)) blocked.add(line);
      return blocked;
    },
    isAlone,
    isReturnFull: (line, perSecond) => {
      const nowMs = monotonicMs();
      return nextBackMs(line, nowMs, perSecond) > nowMs + mostPacedMs;
    },
    backInMs: (line, slots, perSecond) => {
      const nowMs = monotonicMs();
      const pacedMs = Math.min(nowMs + mostPacedMs, nextBackMs(line, nowMs, perSecond));
      const sinceMs = line.inFlight > 0 ? nowMs - line.silentSinceMs : 0;
      // A line that is alone gets all slots as soon as one call is answered.
      const calls = isAlone(line) ? slots : Math.max(1, allowed(line, slots));
      const eachMs = Math.max(line.guard.times.recentMs, sinceMs) / calls;
      const leastMs = nowMs + Math.max(leastBackMs, line.guard.waitMs(nowMs));
      line.backAtMs = Math.max(pacedMs, Math.min(nowMs + mostBackMs, Math.max(line.backAtMs, leastMs) + eachMs));
      return line.backAtMs - nowMs;
    },
    begin: (line) => {
      const nowMs = monotonicMs();
      const isNew = !line.isSilent || nowMs - line.lastEndMs >= activeForMs;
      if (line.inFlight === 0 && isNew) line.silentSinceMs = nowMs;
      line.inFlight++;
      calling.add(line);
      line.lastBeginMs = nowMs;
    },
    end: (line, startedMs, call) => {
      const { inFlight, guard } = line;
      const nowMs = monotonicMs();
      line.inFlight--;
      if (line.inFlight === 0) calling.delete(line);
      if (!call) return;
      const isAnswered = call.end === 'answered';
      // The route has recovered, so the next released job need not wait for those released before.
      if (isAnswered && (guard.isTroubled || guard.isFailing || isStuck(line))) line.backAtMs = -Infinity;
      line.isSilent = !isAnswered && nowMs - startedMs >= guard.stuckAfterMs;
      line.lastEndMs = nowMs;
      if (!line.isSilent) line.silentSinceMs = nowMs;
      const isOwn = !isAnswered && isOwnMatter('failure', guard.id, evidence(), startedMs);
      const keptSlot = line.isSilent || call.pressure === 'timed-out';
      const end = isAnswered || keptSlot ? call.end : 'failed';
      guard.onEnd({ ...call, end, startedMs, nowMs, inFlight, isOwnMatter: isOwn });
    },
  };

  function* evidence() {
    for (const { guard } of lines.values()) yield guard;
  }
}
