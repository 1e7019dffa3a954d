import type { Cron } from './cron.ts';
import { cronInstants, intervalInstants, type CronInstant } from './instants.ts';

/** When something recurs. */
export type Recurrence = {
  /** Nothing before, inclusive; an interval counts from it. */
  fromMs: number;
  /** Nothing after, inclusive; null: for ever. */
  untilMs: number | null;
} & ({ kind: 'cron'; cron: Cron; zone: string } | { kind: 'interval'; everyMs: number });

/** All instants from `fromMs` on, inclusive, ascending, and what the clock leaps over among them. */
export function* instantsFrom(recurrence: Recurrence, fromMs: number): Generator<CronInstant, void> {
  const startMs = Math.max(fromMs, recurrence.fromMs);
  const instants =
    recurrence.kind === 'cron'
      ? cronInstants(recurrence.cron, recurrence.zone, startMs)
      : intervalInstants(recurrence.everyMs, recurrence.fromMs, startMs);
  for (const instant of instants) {
    if (recurrence.untilMs !== null && instant.atMs > recurrence.untilMs) return;
    yield instant;
  }
}

/** @param afterMs exclusive */
export function nextInstantMs(recurrence: Recurrence, afterMs: number): number | null {
  for (const instant of instantsFrom(recurrence, afterMs + 1)) if (instant.kind === 'fire') return instant.atMs;
  return null;
}

/**
 * The next `count` fires after `afterMs` (exclusive), and between them what the clock leaps over. Fewer where it ends
 * before.
 */
export function nextFires(recurrence: Recurrence, afterMs: number, count: number): CronInstant[] {
  const found: CronInstant[] = [];
  let fires = 0;
  for (const instant of instantsFrom(recurrence, afterMs + 1)) {
    found.push(instant);
    if (instant.kind === 'fire' && ++fires === count) break;
  }
  return found;
}
