import type { SourceGuard } from '../../../shared/domain/endpoint/source-guard.ts';
import { withFloor } from '../endpoint/calls-at-once.ts';

/** A mean call longer than this makes a feed slow: it gives slots back too seldom for others to wait for them. */
const slowMs = 1000;
/** Of a pool, for slow feeds while quick ones are about in it; for quick ones otherwise. */
const reservedPart = 1 / 6;
const floorCalls = 2;
/** How long after a quick call slow ones leave room for more of them. */
const quickIsAboutMs = 60_000;
/** Slots lent to others while no feed of the pool is answered: enough for a new feed to show that it is. */
const lentUnserved = 4;

/** What the slots have to know of a feed's calls in one shard. */
export interface CallLine {
  inFlight: number;
  /** Of its calls, exponentially weighted; 0 before the first has ended. */
  meanMs: number;
  /** With the mean of the last few answers: a feed that has become slow is found out by one round of calls. */
  readonly guard: Pick<SourceGuard, 'times'>;
}

/** Its calls take long, or nothing is known of it yet. */
export function isSlow({ meanMs, guard }: CallLine): boolean {
  return meanMs === 0 || Math.max(meanMs, guard.times.recentMs) >= slowMs;
}

/**
 * A number of calls that may be in flight at once, of one action type or of the whole worker. Slow feeds cannot fill
 * it: what they hold they hold for seconds, and everybody else would wait for it.
 */
export interface SlotPool {
  /** The concurrency, and the floor beyond it. */
  readonly capacity: number;
  readonly inFlight: number;
  /** True if a feed that lends no slots was answered lately. */
  isServed: boolean;
  /** @param usesLent whether a call of the line may begin in the place of one that is lent */
  hasRoom(line: CallLine, usesLent: boolean, nowMs: number): boolean;
  /** Calls that a slow line may begin beside its calls in flight; Infinity for a quick line. */
  moreCallsOf(line: CallLine, nowMs: number): number;
  begin(wasSlow: boolean, nowMs: number): void;
  end(wasSlow: boolean): void;
  /**
   * Calls that are in flight and do not count, so that others may begin in their place: as many as the concurrency once
   * more, or a few while no feed is answered.
   * @param slowBy how many of them began as slow calls
   */
  lend(by: number, slowBy: number): void;
  /** True if slots of the pool are lent. */
  readonly hasLent: boolean;
  /** Returns the number of lent slots that others may use. */
  lendable(lent: number): number;
  /** Calls beyond a smaller concurrency end by themselves. */
  resize(concurrency: number): void;
}

/** How many slow calls there may be while quick ones are about, and otherwise. */
interface SlowCalls {
  besideQuick: number;
  alone: number;
}

/** Of an action type: its quick feeds share it with its slow ones. */
export function createActionPool(concurrency: number): SlotPool {
  return createSlotPool(concurrency, (slots) => ({ besideQuick: reservedOf(slots), alone: slots - reservedOf(slots) }));
}

/**
 * Of the whole worker: action types that are slow leave something to the others, and are not kept from what is unused.
 */
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
  let capacity = withFloor(concurrency);
  let slowCalls = slowCallsOf(concurrency);
  let inFlight = 0;
  let slow = 0;
  let lent = 0;
  let lentSlow = 0;
  let isServed = false;
  let lastQuickMs = Number.NEGATIVE_INFINITY;

  /**
   * How many slow calls there may be. Feeds that nothing is known of begin with a few calls each: they may go further.
   */
  function boundOfSlow({ meanMs }: CallLine, nowMs: number): number {
    if (meanMs === 0) return concurrency;
    return Math.max(1, nowMs - lastQuickMs < quickIsAboutMs ? slowCalls.besideQuick : slowCalls.alone);
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
      capacity = withFloor(concurrency);
      slowCalls = slowCallsOf(concurrency);
    },
  };
}
