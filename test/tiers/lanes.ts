export interface Part {
  /** Nothing may run beside the part. */
  alone?: boolean;
  /** Expected duration. */
  minutes?: number;
}

/** Parts that wait for a lane, in their order. */
export interface WaitingParts<One extends Part> {
  /** Returns the first part, or the first that is wanted; undefined if there is none. */
  first(isWanted?: (part: One) => boolean): One | undefined;
  /** Removes a part, because it begins. */
  take(part: One): void;
}

export function waitingParts<One extends Part>(parts: readonly One[]): WaitingParts<One> {
  const waiting = [...parts];
  return {
    first: (isWanted = () => true) => waiting.find(isWanted),
    take: (part) => void waiting.splice(waiting.indexOf(part), 1),
  };
}

/**
 * Runs the parts in their order, as many at once as there are lanes. A part that has to be alone waits until the others
 * have ended, and the next part waits for its end. While it waits, parts go first that are expected to end before the
 * others do, so that no lane is idle. The next part is chosen only when a lane is free.
 */
export async function inLanes<One extends Part>(
  parts: WaitingParts<One>,
  lanes: number,
  run: (part: One) => Promise<void>,
  nowMs: () => number = Date.now,
): Promise<void> {
  /** Parts under way, with the times at which they are expected to end. */
  const running = new Map<Promise<void>, number>();

  function choose(): One | undefined {
    const first = parts.first();
    if (first?.alone !== true || running.size === 0) return first;
    const leftMs = Math.max(...running.values()) - nowMs();
    return parts.first(({ alone, minutes = Infinity }) => alone !== true && minutes * 60_000 <= leftMs);
  }

  for (;;) {
    const part = choose();
    if (part === undefined && running.size === 0) return;
    if (part !== undefined) {
      parts.take(part);
      const one = run(part).finally(() => running.delete(one));
      running.set(one, nowMs() + (part.minutes ?? 0) * 60_000);
      if (part.alone === true) await one;
    }
    while (running.size >= (part === undefined ? 1 : lanes)) await Promise.race(running.keys());
  }
}
