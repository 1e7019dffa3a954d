import type { SourceGuard } from '../../../shared/domain/endpoint/source-guard.ts';
import { withReserve } from '../endpoint/calls-at-once.ts';

/**
 * Mean duration of a feed's calls in milliseconds from which the feed counts as slow. Its slots become free so rarely
 * that other feeds should not have to wait for them.
 */
const slowMs = 1000;
/** Part of a pool that is reserved: for slow feeds while quick feeds are called, and for quick feeds otherwise. */
const reservedPart = 1 / 6;
const floorCalls = 2;
/** Milliseconds after a quick call during which slow feeds leave slots free for more quick calls. */
const quickCallValidMs = 60_000;
/**
 * Maximum number of slots lent to other feeds while the endpoint answers the calls of no feed in the pool. A few slots
 * suffice to find out if it answers the calls of a new feed.
 */
const lentUnserved = 4;

export interface CallLine {
  inFlight: number;
  /** Mean duration of the feed's calls in milliseconds, exponentially weighted; 0 before the first call has ended. */
  meanMs: number;
  /**
   * Guard that knows the mean duration of the last few answers. With it, one round of calls is enough to detect that a
   * feed has become slow.
   */
  readonly guard: Pick<SourceGuard, 'times'>;
}

/** Returns true if the feed's calls are slow, or if no call of the feed has ended yet. */
export function isSlow({ meanMs, guard }: CallLine): boolean {
  return meanMs === 0 || Math.max(meanMs, guard.times.recentMs) >= slowMs;
}

/**
 * Pool of call slots, of one action type or of the whole worker. Slow feeds occupy their slots for seconds, so the pool
 * prevents that they occupy all slots and let all other feeds wait.
 */
export interface SlotPool {
  /** The concurrency plus the reserve for feeds with few calls. */
  readonly capacity: number;
  readonly inFlight: number;
  /** True if a feed that lends no slots was answered recently. */
  isServed: boolean;
  /**
   * Returns true if a call of the line may begin.
   * @param usesLent true if the call may use a lent slot
   */
  hasRoom(line: CallLine, usesLent: boolean, nowMs: number): boolean;
  /** Returns how many more calls a slow line may begin; infinite for a line that is not slow. */
  moreCallsOf(line: CallLine, nowMs: number): number;
  begin(wasSlow: boolean, nowMs: number): void;
  end(wasSlow: boolean): void;
  /**
   * Lends slots: the calls in them no longer count, so that calls of other feeds may begin instead. The number of such
   * calls is limited to the concurrency, or to a few while no feed is answered.
   * @param slowBy number of the lent slots whose calls counted as slow when they began
   */
  lend(by: number, slowBy: number): void;
  readonly hasLent: boolean;
  lendable(lent: number): number;
  /** Changes the concurrency. If it becomes smaller, calls in flight continue until they end. */
  resize(concurrency: number): void;
}

/** Maximum numbers of slow calls: while quick calls share the pool, and otherwise. */
interface SlowCalls {
  withQuickCalls: number;
  alone: number;
}

export function createActionPool(concurrency: number): SlotPool {
  return createSlotPool(concurrency, (slots) => ({
    withQuickCalls: reservedOf(slots),
    alone: slots - reservedOf(slots),
  }));
}

/** Creates the pool of the worker. Slow action types leave a reserve for the others, and may use all other slots. */
export function createWorkerPool(concurrency: number): SlotPool {
  return createSlotPool(concurrency, (slots) => ({
    withQuickCalls: slots - reservedOf(slots),
    alone: slots - reservedOf(slots),
  }));
}

function reservedOf(concurrency: number): number {
  return Math.max(1, Math.floor(concurrency * reservedPart));
}

function createSlotPool(initial: number, slowCallsOf: (concurrency: number) => SlowCalls): SlotPool {
  let concurrency = initial;
  let capacity = withReserve(concurrency);
  let slowCalls = slowCallsOf(concurrency);
  let inFlight = 0;
  let slow = 0;
  let lent = 0;
  let lentSlow = 0;
  let isServed = false;
  let lastQuickMs = Number.NEGATIVE_INFINITY;

  /**
   * Returns the maximum number of slow calls. A feed without history may use the whole concurrency, because it begins
   * with few calls.
   */
  function boundOfSlow({ meanMs }: CallLine, nowMs: number): number {
    if (meanMs === 0) return concurrency;
    return Math.max(1, nowMs - lastQuickMs < quickCallValidMs ? slowCalls.withQuickCalls : slowCalls.alone);
  }

  const lendable = (slots: number) => Math.min(slots, isServed ? concurrency : lentUnserved);

  return {
    get capacity() {
      return capacity;
    },
    get inFlight() {
      return inFlight;
    },
    get isServed() {
      return isServed;
    },
    set isServed(next) {
      isServed = next;
    },
    lend: (by, slowBy) => {
      lent += by;
      lentSlow += slowBy;
    },
    get hasLent() {
      return lent > 0;
    },
    lendable,
    hasRoom: (line, usesLent, nowMs) => {
      const bound = line.inFlight < floorCalls ? capacity : concurrency;
      if (inFlight - (usesLent ? lendable(lent) : 0) >= bound) return false;
      return !isSlow(line) || slow - (usesLent ? lendable(lentSlow) : 0) < boundOfSlow(line, nowMs);
    },
    moreCallsOf: (line, nowMs) =>
      isSlow(line) ? Math.max(0, boundOfSlow(line, nowMs) - line.inFlight) : Number.POSITIVE_INFINITY,
    begin: (wasSlow, nowMs) => {
      inFlight++;
      if (wasSlow) slow++;
      else lastQuickMs = nowMs;
    },
    end: (wasSlow) => {
      inFlight--;
      if (wasSlow) slow--;
    },
    resize: (next) => {
      concurrency = next;
      capacity = withReserve(concurrency);
      slowCalls = slowCallsOf(concurrency);
    },
  };
}
