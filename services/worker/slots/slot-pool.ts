import type { SourceGuard } from '../../../shared/domain/endpoint/source-guard.ts';
import { withReserve } from '../endpoint/calls-at-once.ts';

/** Mean call duration above which a feed is slow: it frees its slots too rarely for other feeds to wait for them. */
const slowMs = 1000;
/** Share of a pool that is reserved: for slow feeds while quick feeds are calling, for quick feeds otherwise. */
const reservedPart = 1 / 6;
const floorCalls = 2;
/** Milliseconds after a quick call during which slow feeds leave room for more quick calls. */
const quickCallValidMs = 60_000;
/** Slots lent while no feed of the pool is answered: enough for a new feed to show that it is answered. */
const lentUnserved = 4;

export interface CallLine {
  inFlight: number;
  /** Mean duration of the feed's calls, exponentially weighted; 0 before the first call has ended. */
  meanMs: number;
  /**
   * Guard with the mean duration of the last few answers. One round of calls is enough to see that a feed has become
   * slow.
   */
  readonly guard: Pick<SourceGuard, 'times'>;
}

/** Returns true if the feed's calls are slow, or if it has no history yet. */
export function isSlow({ meanMs, guard }: CallLine): boolean {
  return meanMs === 0 || Math.max(meanMs, guard.times.recentMs) >= slowMs;
}

/**
 * Pool of call slots, of one action type or of the whole worker. The pool keeps slow feeds from filling it: they hold
 * their slots for seconds, and all other feeds would wait.
 */
export interface SlotPool {
  /** Concurrency plus the reserve for feeds with few calls. */
  readonly capacity: number;
  readonly inFlight: number;
  /** True if a feed that lends no slots was answered lately. */
  isServed: boolean;
  /** Returns whether a call of the line may begin. @param usesLent whether the call may begin in place of a lent one */
  hasRoom(line: CallLine, usesLent: boolean, nowMs: number): boolean;
  /** Returns how many more calls a slow line may begin; infinite for a quick line. */
  moreCallsOf(line: CallLine, nowMs: number): number;
  begin(wasSlow: boolean, nowMs: number): void;
  end(wasSlow: boolean): void;
  /**
   * Lends slots: the calls in them no longer count, so that other calls may begin in their place. Other calls may use
   * at most as many lent slots as the concurrency, or a few while no feed is answered.
   * @param slowBy number of the lent slots whose calls began as slow calls
   */
  lend(by: number, slowBy: number): void;
  readonly hasLent: boolean;
  lendable(lent: number): number;
  /** Changes the concurrency. Calls in flight beyond a smaller concurrency continue until they end. */
  resize(concurrency: number): void;
}

/** Upper bounds on the slow calls: while quick calls share the pool, and otherwise. */
interface SlowCalls {
  besideQuick: number;
  alone: number;
}

export function createActionPool(concurrency: number): SlotPool {
  return createSlotPool(concurrency, (slots) => ({ besideQuick: reservedOf(slots), alone: slots - reservedOf(slots) }));
}

/** Creates the pool of the worker. Slow action types leave a reserve to the others, and may use all other slots. */
export function createWorkerPool(concurrency: number): SlotPool {
  return createSlotPool(concurrency, (slots) => ({
    besideQuick: slots - reservedOf(slots),
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
   * Returns the upper bound on slow calls. Feeds without history may use the whole concurrency, because they begin with
   * few calls.
   */
  function boundOfSlow({ meanMs }: CallLine, nowMs: number): number {
    if (meanMs === 0) return concurrency;
    return Math.max(1, nowMs - lastQuickMs < quickCallValidMs ? slowCalls.besideQuick : slowCalls.alone);
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
