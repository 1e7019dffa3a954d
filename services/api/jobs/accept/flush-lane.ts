export interface FlushLaneTerms<Item, Result> {
  maxItems: number;
  inFlight: number;
  /** Minimum items of a flush that starts while another is in flight; default 1. */
  besideFrom?: number;
  /**
   * Returns a result for each item, in order.
   * @param place from 0 to `inFlight` - 1, unique among concurrent flushes
   */
  flush: (items: readonly Item[], place: number) => Promise<readonly Result[]>;
}

/** Batches items that arrive separately but cost less together. */
export interface FlushLane<Item, Result> {
  /** @param items at most `maxItems`. They share one flush and fail together with all items in it */
  add(items: readonly Item[]): Promise<readonly Result[]>;
}

interface Unit<Item, Result> {
  items: readonly Item[];
  resolve: (results: readonly Result[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Flushes when idle, otherwise when the previous flush returns, without a timer: items that arrive meanwhile share a
 * flush. Waiting 2 or 4 ms for more items cost a third to a half of the throughput in measurements.
 */
export function createFlushLane<Item, Result>(terms: FlushLaneTerms<Item, Result>): FlushLane<Item, Result> {
  const { maxItems, inFlight, besideFrom = 1, flush } = terms;
  let waiting: Unit<Item, Result>[] = [];
  let waitingItems = 0;
  const free = Array.from({ length: inFlight }, (_, place) => place);
  let isStarting = false;

  /**
   * Returns true if a flush may start. While another flush is in flight, a flush with fewer than `besideFrom` items
   * waits.
   */
  const isDue = () => waitingItems > 0 && free.length > 0 && (free.length === inFlight || waitingItems >= besideFrom);

  function next(): Unit<Item, Result>[] {
    let items = 0;
    let units = 0;
    for (const unit of waiting) {
      items += unit.items.length;
      if (items > maxItems && units > 0) break;
      units++;
    }
    const taken = waiting.slice(0, units);
    waiting = waiting.slice(units);
    for (const unit of taken) waitingItems -= unit.items.length;
    return taken;
  }

  async function run(units: readonly Unit<Item, Result>[], place: number): Promise<void> {
    try {
      const results = await flush(
        units.flatMap(({ items }) => items),
        place,
      );
      let from = 0;
      for (const { items, resolve } of units) resolve(results.slice(from, (from += items.length)));
    } catch (error) {
      for (const { reject } of units) reject(error);
    } finally {
      free.push(place);
      start();
    }
  }

  function start(): void {
    isStarting = false;
    while (isDue()) {
      const place = free.pop();
      if (place === undefined) return;
      void run(next(), place);
    }
  }

  return {
    add: (items) =>
      new Promise((resolve, reject) => {
        waiting.push({ items, resolve, reject });
        waitingItems += items.length;
        if (isStarting || !isDue()) return;
        // Starts after all requests that were read together with this one.
        isStarting = true;
        setImmediate(start);
      }),
  };
}
