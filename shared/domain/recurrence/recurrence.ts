import type { Cron } from './cron.ts';
import {
  cronInstants,
  instantsAndDaysOff,
  intervalInstants,
  workingInstants,
  type CronInstant,
  type DayOffTime,
  type TimeRange,
} from './instants.ts';
import { dayOf, type DaysOff } from './work-calendars.ts';

export type Recurrence = {
  /** First possible instant, inclusive; intervals count from it. */
  fromMs: number;
  /** Last possible instant, inclusive; null: no end. */
  untilMs: number | null;
} & (
  | { kind: 'cron'; cron: Cron; zone: string; /** Days off; undefined means none. */ daysOff?: DaysOff | undefined }
  | { kind: 'interval'; everyMs: number }
);

/** A fire, times that a clock change skips, or a time omitted because its day is off. */
export type RecurringInstant = CronInstant | DayOffTime;

/** Yields all instants from `fromMs` on, inclusive, ascending, including those that do not fire. */
export function* instantsFrom(recurrence: Recurrence, fromMs: number): Generator<RecurringInstant, void> {
  const isLeftOut = recurrence.kind === 'cron' && recurrence.daysOff?.policy === 'skip';
  if (!isLeftOut) return yield* firesFrom(recurrence, fromMs);
  const { cron, zone, daysOff } = recurrence;
  if (daysOff) yield* instantsAndDaysOff(cron, zone, rangeOf(recurrence, fromMs), daysOff);
}

/** Yields the same instants as `instantsFrom`, without the times of days off. */
function* firesFrom(recurrence: Recurrence, fromMs: number): Generator<CronInstant, void> {
  const range = rangeOf(recurrence, fromMs);
  for (const instant of firesOf(recurrence, range)) {
    if (instant.atMs > range.untilMs) return;
    yield instant;
  }
}

function firesOf(recurrence: Recurrence, range: TimeRange): Iterable<CronInstant> {
  if (recurrence.kind === 'interval') return intervalInstants(recurrence.everyMs, recurrence.fromMs, range.fromMs);
  const { cron, zone, daysOff } = recurrence;
  return daysOff ? workingInstants(cron, zone, range, daysOff) : cronInstants(cron, zone, range);
}

function rangeOf({ fromMs: firstMs, untilMs }: Recurrence, fromMs: number): TimeRange {
  return { fromMs: Math.max(fromMs, firstMs), untilMs: untilMs ?? Infinity };
}

/**
 * Returns the next fire; null if there is none.
 * @param afterMs exclusive
 */
export function nextInstantMs(recurrence: Recurrence, afterMs: number): number | null {
  for (const instant of firesFrom(withinSight(recurrence, afterMs), afterMs + 1))
    if (instant.kind === 'fire') return instant.atMs;
  return null;
}

export interface NextTimes {
  /** Next fire; null: never. */
  fireMs: number | null;
  /** Next time to decide on: the next fire, or an earlier time of a day off, which is recorded. */
  checkMs: number | null;
}

/**
 * Returns the next fire and the next time to decide on.
 * @param afterMs exclusive
 */
export function nextTimes(recurrence: Recurrence, afterMs: number): NextTimes {
  const fireMs = nextInstantMs(recurrence, afterMs);
  if (recurrence.kind !== 'cron' || recurrence.daysOff?.policy !== 'skip') return { fireMs, checkMs: fireMs };
  // Only times of days off can lie between `afterMs` and the next fire.
  const bounded = fireMs === null ? withinSight(recurrence, afterMs) : { ...recurrence, untilMs: fireMs };
  for (const { kind, atMs } of instantsFrom(bounded, afterMs + 1)) {
    if (kind !== 'skipped') return { fireMs, checkMs: atMs };
  }
  return { fireMs, checkMs: null };
}

/**
 * Search horizon in milliseconds. Without it, a rare recurrence would be searched through thousands of years of clock
 * changes.
 */
export const farthestFireMs = 20 * 366 * 86_400_000;

/** Limits the search, because an expression may name only days off. */
function withinSight(recurrence: Recurrence, afterMs: number): Recurrence {
  if (recurrence.kind !== 'cron' || !recurrence.daysOff) return recurrence;
  const horizonMs = Math.max(afterMs, recurrence.fromMs) + farthestFireMs;
  return { ...recurrence, untilMs: Math.min(recurrence.untilMs ?? Infinity, horizonMs) };
}

export interface DayOffTimes extends DayOffTime {
  count: number;
}

export interface NextFires {
  /** Fires, and between them skipped times of clock changes and days off. */
  instants: (CronInstant | DayOffTimes)[];
  /** End of the search, beyond which later instants were not examined; null if nothing was cut off. */
  lookedUntilMs: number | null;
}

/** Limits the times of days off that are examined: a calendar may have two months off, with a time in each minute. */
const mostTimesOff = 100_000;

/**
 * Returns the next `count` fires after `afterMs` and before `beforeMs`, both exclusive, within twenty years of
 * `afterMs` or of the recurrence's beginning, whichever is later.
 */
export function nextFires(recurrence: Recurrence, afterMs: number, count: number, beforeMs = Infinity): NextFires {
  const horizonMs = Math.max(afterMs, recurrence.fromMs) + farthestFireMs;
  const isCut = recurrence.untilMs === null || recurrence.untilMs > horizonMs;
  const lastMs = Math.min(isCut ? horizonMs : (recurrence.untilMs ?? horizonMs), beforeMs - 1);
  const instants: NextFires['instants'] = [];
  let fires = 0;
  let timesOff = 0;
  for (const instant of instantsFrom({ ...recurrence, untilMs: lastMs }, afterMs + 1)) {
    if (instant.kind === 'day-off') {
      if (++timesOff > mostTimesOff) return { instants, lookedUntilMs: instant.atMs - 1 };
      addDayOff(instants, instant);
      continue;
    }
    instants.push(instant);
    if (instant.kind === 'fire' && ++fires === count) return { instants, lookedUntilMs: null };
  }
  return { instants, lookedUntilMs: isCut && lastMs === horizonMs ? horizonMs : null };
}

function addDayOff(instants: NextFires['instants'], time: DayOffTime): void {
  const last = instants.at(-1);
  if (last?.kind === 'day-off' && dayOf(last.localMs) === dayOf(time.localMs)) last.count++;
  else instants.push({ ...time, count: 1 });
}
