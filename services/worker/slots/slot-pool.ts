/** A mean call longer than this makes a feed slow: it gives slots back too seldom for others to wait for them. */
const slowMs = 1000;
/** Of a pool, for slow feeds while quick ones are about in it; for quick ones otherwise. */
const reservedPart = 1 / 6;
/** Beyond a pool's concurrency, for feeds with hardly a call under way: they need not wait until a hung call ends. */
const floorPart = 1 / 16;
const floorCalls = 2;
/** How long after a quick call slow ones leave room for more of them. */
const quickIsAboutMs = 60_000;

/** What the slots have to know of a feed's calls in one shard. */
export interface CallLine {
  inFlight: number;
  /** Of its calls, exponentially weighted; 0 before the first has ended. */
  meanMs: number;
}

/** Its calls take long, or nothing is known of it yet. */
export function isSlow({ meanMs }: CallLine): boolean {
  return meanMs === 0 || meanMs >= slowMs;
}

/**
 * A number of calls that may be in flight at once, of one action type or of the whole worker. Slow feeds cannot fill
 * it: what they hold they hold for seconds, and everybody else would wait for it.
 */
export interface SlotPool {
  /** The concurrency, and the floor beyond it. */
  readonly capacity: number;
  readonly inFlight: number;
  hasRoom(line: CallLine, nowMs: number): boolean;
  begin(wasSlow: boolean, nowMs: number): void;
  end(wasSlow: boolean): void;
  /** Calls beyond a smaller concurrency end by themselves. */
  resize(concurrency: number): void;
}

/** How many slow calls there may be while quick ones are about, and otherwise. */
interface SlowCalls {
  besideQuick: number;
  alone: number;
}

/** How many calls there may ever be at once where `concurrency` says how many busy feeds have. */
export function withFloor(concurrency: number): number {
  return concurrency + Math.floor(concurrency * floorPart);
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
  let lastQuickMs = Number.NEGATIVE_INFINITY;

  /**
   * How many slow calls there may be. Feeds that nothing is known of begin with a few calls each: they may go further.
   */
  function boundOfSlow({ meanMs }: CallLine, nowMs: number): number {
    if (meanMs === 0) return concurrency;
    return Math.max(1, nowMs - lastQuickMs < quickIsAboutMs ? slowCalls.besideQuick : slowCalls.alone);
  }

  return {
    get capacity() {
      return capacity;
    },
    get inFlight() {
      return inFlight;
    },
    hasRoom: (line, nowMs) => {
      if (inFlight >= (line.inFlight < floorCalls ? capacity : concurrency)) return false;
      return !isSlow(line) || slow < boundOfSlow(line, nowMs);
    },
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
