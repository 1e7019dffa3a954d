import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';

/** As seldom as the use of keys is written. */
const writeEveryMs = 60_000;

/** Each is a key that there is: more than so many that have ended and are used at once are not told apart. */
export const maxCounted = 1000;

/** With nothing to write it is woken. */
const untilWokenMs = 3_600_000;

/** Of one key, since the last time they were written. */
export interface CountedRefusals {
  key: string;
  count: number;
  /** How long ago the last one was. */
  lastAgoMs: number;
  /** The address that connected; null where it is not known. */
  lastFrom: string | null;
}

export interface KeyRefusalsDeps {
  write: (counted: readonly CountedRefusals[]) => Promise<void>;
  clock: Clock;
  logger: Logger;
}

export interface KeyRefusalsCounter {
  start(): void;
  /** One request with a secret of a key that opens nothing any more. Costs no statement. */
  note(key: string, from: string | null): void;
  /** Writes what is left. */
  stop(): Promise<void>;
}

interface Count {
  count: number;
  lastAtMs: number;
  lastFrom: string | null;
}

/**
 * Counts requests with keys that have ended, and writes what was counted in one statement a minute at most, however
 * many came. Only keys that there are count, so that made-up ones neither fill memory nor cost a write.
 */
export function createKeyRefusals({ write, clock, logger }: KeyRefusalsDeps): KeyRefusalsCounter {
  let counts = new Map<string, Count>();

  async function writeAll(): Promise<number> {
    if (counts.size === 0) return untilWokenMs;
    const written = counts;
    counts = new Map();
    const nowMs = clock.monotonicMs();
    try {
      await write(
        [...written].map(([key, { count, lastAtMs, lastFrom }]) => ({
          ...{ key, count, lastFrom },
          lastAgoMs: nowMs - lastAtMs,
        })),
      );
    } catch (error) {
      for (const [key, count] of written) add(key, count);
      throw error;
    }
    return counts.size === 0 ? untilWokenMs : 0;
  }

  function add(key: string, { count, lastAtMs, lastFrom }: Count): void {
    const known = counts.get(key);
    if (!known && counts.size >= maxCounted) return;
    const isLater = !known || lastAtMs >= known.lastAtMs;
    counts.set(key, {
      count: (known?.count ?? 0) + count,
      ...(isLater ? { lastAtMs, lastFrom } : { lastAtMs: known.lastAtMs, lastFrom: known.lastFrom }),
    });
  }

  const loop = createLoop({
    ...{ name: 'note-refused-keys', turn: writeAll, minBetweenMs: writeEveryMs, afterErrorMs: writeEveryMs },
    ...{ clock, logger },
  });
  return {
    start: () => loop.start(),
    note: (key, from) => {
      add(key, { count: 1, lastAtMs: clock.monotonicMs(), lastFrom: from && plainAddress(from) });
      loop.poke();
    },
    stop: async () => {
      await loop.stop();
      await writeAll().catch((error: unknown) => logger.warn({ err: error }, 'refusals of keys were not written'));
    },
  };
}

/** An IPv4 address that connected to a socket of IPv6 is written as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
