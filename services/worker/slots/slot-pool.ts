/** A mean call longer than this makes a feed slow: it gives slots back too seldom for others to wait for them. */
const slowMs = 1000;
/** Of a pool, for slow feeds while quick ones are about in it; for quick ones otherwise. */
const reservedPart = 1 / 6;
/** Of a pool, for feeds with hardly a call under way: no feed fills a pool to its last slot. */
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
  readonly capacity: number;
  readonly inFlight: number;
  hasRoom(line: CallLine, nowMs: number): boolean;
  begin(wasSlow: boolean, nowMs: number): void;
  end(wasSlow: boolean): void;
  /** Calls beyond a smaller capacity end by themselves. */
  resize(capacity: number): void;
}

/** How many slow calls there may be while quick ones are about, and otherwise. */
interface SlowCalls {
  besideQuick: number;
  alone: number;
}

/** Of an action type: its quick feeds share it with its slow ones. */
export function createActionPool(capacity: number): SlotPool {
  return createSlotPool(capacity, (slots) => ({ besideQuick: reservedOf(slots), alone: slots - reservedOf(slots) }));
}

/**
 * Of the whole worker: action types that are slow leave something to the others, and are not kept from what is unused.
 */
export function createWorkerPool(capacity: number): SlotPool {
  return createSlotPool(capacity, (slots) => ({
    besideQuick: slots - reservedOf(slots),
    alone: slots - reservedOf(slots),
  }));
}

function reservedOf(capacity: number): number {
  return Math.max(1, Math.floor(capacity * reservedPart));
}

function createSlotPool(initialCapacity: number, slowCallsOf: (capacity: number) => SlowCalls): SlotPool {
  let capacity = initialCapacity;
  let floor = Math.floor(capacity * floorPart);
  let slowCalls = slowCallsOf(capacity);
  let inFlight = 0;
  let slow = 0;
  let lastQuickMs = Number.NEGATIVE_INFINITY;

  /**
   * How many slow calls there may be. Feeds that nothing is known of begin with a few calls each: they may go further.
   */
  function boundOfSlow({ meanMs }: CallLine, nowMs: number): number {
    if (meanMs === 0) return capacity - floor;
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
      const free = capacity - inFlight;
      if (free <= 0 || (free <= floor && line.inFlight >= floorCalls)) return false;
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
      capacity = next;
      floor = Math.floor(capacity * floorPart);
      slowCalls = slowCallsOf(capacity);
    },
  };
}
