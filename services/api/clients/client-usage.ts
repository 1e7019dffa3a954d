import type { Clock } from '../../../shared/ports/clock.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { refill, secondsUntilOne, type RateShare } from './rate-share.ts';

export interface JobCounts {
  accepted: number;
  /** Number of unfinished jobs: pending, firing or sidelined. */
  stored: number;
}

/** Interval between two reads of the counts of all processes, in milliseconds. */
const readEveryMs = 1000;
/** Milliseconds without accepted jobs after which a client's counts are no longer read. */
const forgetAfterMs = 60_000;

export type Reservation =
  { kind: 'room' } | { kind: 'rate'; retryAfterSeconds: number } | { kind: 'quota'; stored: number };

/**
 * Check of clients' limits. This process learns of jobs that other processes accept up to a second late, so a limit may
 * be exceeded for that long.
 */
export interface ClientUsage {
  /**
   * Reserves capacity for one job, if the client's limits allow it.
   * @param storedAtMost limit of stored jobs that is below the client's own; null if only the client's own limit
   * applies
   */
  reserve(client: Client, storedAtMost?: number | null): Reservation;
  /** Releases reserved capacity of jobs that were duplicates or were not stored. */
  release(client: Client, jobs: number): void;
  start(): void;
  stop(): Promise<void>;
}

interface Usage extends RateShare {
  usedAtMs: number;
  /** Jobs that this process has accepted since the last read. The counts of that read may not include them. */
  sinceRead: number;
  lastRead: { counts: JobCounts; atMs: number } | null;
}

export interface ClientUsageDeps {
  figures: {
    counts(clientIds: readonly string[]): Promise<ReadonlyMap<string, JobCounts>>;
  };
  clock: Clock;
  logger: Logger;
}

export function createClientUsage({ figures, clock, logger }: ClientUsageDeps): ClientUsage {
  const usages = new Map<string, Usage>();

  function usageOf({ clientId, definition }: Client, nowMs: number): Usage {
    const known = usages.get(clientId);
    if (known) return known;
    const tokens = definition.acceptPerSecond ?? 0;
    const fresh = { usedAtMs: nowMs, tokens, filledAtMs: nowMs, othersPerSecond: 0, sinceRead: 0, lastRead: null };
    usages.set(clientId, fresh);
    return fresh;
  }

  function update(usage: Usage, counts: JobCounts, nowMs: number): void {
    const { lastRead, sinceRead } = usage;
    if (lastRead) {
      const others = counts.accepted - lastRead.counts.accepted - sinceRead;
      usage.othersPerSecond = Math.max(0, (others * 1000) / Math.max(1, nowMs - lastRead.atMs));
    }
    usage.lastRead = { counts, atMs: nowMs };
    usage.sinceRead = 0;
  }

  async function read(): Promise<number> {
    const nowMs = clock.monotonicMs();
    for (const [clientId, { usedAtMs }] of usages) if (nowMs - usedAtMs > forgetAfterMs) usages.delete(clientId);
    if (usages.size === 0) return readEveryMs;
    const counts = await figures.counts([...usages.keys()]);
    for (const [clientId, usage] of usages) {
      update(usage, counts.get(clientId) ?? { accepted: 0, stored: 0 }, clock.monotonicMs());
    }
    return readEveryMs;
  }

  const loop = createLoop({ name: 'look-at-usage', turn: read, afterErrorMs: readEveryMs, clock, logger });

  return {
    reserve: (client, storedAtMost = null) => {
      const nowMs = clock.monotonicMs();
      const usage = usageOf(client, nowMs);
      usage.usedAtMs = nowMs;
      const { maxStoredJobs, acceptPerSecond } = client.definition;
      const stored = (usage.lastRead?.counts.stored ?? 0) + usage.sinceRead;
      if (stored >= Math.min(maxStoredJobs, storedAtMost ?? maxStoredJobs)) return { kind: 'quota', stored };
      if (acceptPerSecond !== undefined) {
        const share = refill(usage, acceptPerSecond, nowMs);
        if (usage.tokens < 1) return { kind: 'rate', retryAfterSeconds: secondsUntilOne(usage, share) };
        usage.tokens -= 1;
      }
      usage.sinceRead += 1;
      return { kind: 'room' };
    },
    release: ({ clientId }, jobs) => {
      const usage = usages.get(clientId);
      if (usage) usage.sinceRead = Math.max(0, usage.sinceRead - jobs);
    },
    start: () => loop.start(),
    stop: () => loop.stop(),
  };
}
