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
      ? cronInstants(recurrence.cron, recurrence.zone, { fromMs: startMs, untilMs: recurrence.untilMs ?? Infinity })
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

/** What recurs seldom would be looked for through thousands of years of clock changes otherwise. */
export const farthestFireMs = 20 * 366 * 86_400_000;

export interface NextFires {
  /** Fires, and between them what the clock leaps over. */
  instants: CronInstant[];
  /** What recurs after it was not looked for, as it is too far away; null where that hides nothing. */
  lookedUntilMs: number | null;
}

/**
 * The next `count` fires after `afterMs` and before `beforeMs`, both exclusive, within twenty years of the first or of
 * its beginning.
 */
export function nextFires(recurrence: Recurrence, afterMs: number, count: number, beforeMs = Infinity): NextFires {
  const horizonMs = Math.max(afterMs, recurrence.fromMs) + farthestFireMs;
  const isCut = recurrence.untilMs === null || recurrence.untilMs > horizonMs;
  const lastMs = Math.min(isCut ? horizonMs : (recurrence.untilMs ?? horizonMs), beforeMs - 1);
  const instants: CronInstant[] = [];
  let fires = 0;
  for (const instant of instantsFrom({ ...recurrence, untilMs: lastMs }, afterMs + 1)) {
    instants.push(instant);
    if (instant.kind === 'fire' && ++fires === count) return { instants, lookedUntilMs: null };
  }
  return { instants, lookedUntilMs: isCut && lastMs === horizonMs ? horizonMs : null };
}
