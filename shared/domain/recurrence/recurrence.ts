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

/** When something recurs. */
export type Recurrence = {
  /** Nothing before, inclusive; an interval counts from it. */
  fromMs: number;
  /** Nothing after, inclusive; null: for ever. */
  untilMs: number | null;
} & (
  | { kind: 'cron'; cron: Cron; zone: string; /** None unless given. */ daysOff?: DaysOff | undefined }
  | { kind: 'interval'; everyMs: number }
);

/** What fires, what the clock leaps over, and what is left out as its day is off. */
export type RecurringInstant = CronInstant | DayOffTime;

/** All instants from `fromMs` on, inclusive, ascending, and what does not fire among them. */
export function* instantsFrom(recurrence: Recurrence, fromMs: number): Generator<RecurringInstant, void> {
  const isLeftOut = recurrence.kind === 'cron' && recurrence.daysOff?.policy === 'skip';
  if (!isLeftOut) return yield* firesFrom(recurrence, fromMs);
  const { cron, zone, daysOff } = recurrence;
  if (daysOff) yield* instantsAndDaysOff(cron, zone, rangeOf(recurrence, fromMs), daysOff);
}

/** The same without those of days off. */
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

/** @param afterMs exclusive */
export function nextInstantMs(recurrence: Recurrence, afterMs: number): number | null {
  for (const instant of firesFrom(withinSight(recurrence, afterMs), afterMs + 1))
    if (instant.kind === 'fire') return instant.atMs;
  return null;
}

export interface NextTimes {
  /** When it fires next; null: never. */
  fireMs: number | null;
  /** When there is something to decide: that, or a time of a day off, which is recorded. */
  lookMs: number | null;
}

/** @param afterMs exclusive */
export function nextTimes(recurrence: Recurrence, afterMs: number): NextTimes {
  const fireMs = nextInstantMs(recurrence, afterMs);
  if (recurrence.kind !== 'cron' || recurrence.daysOff?.policy !== 'skip') return { fireMs, lookMs: fireMs };
  // Between the two there are none but those of days off.
  const bounded = fireMs === null ? withinSight(recurrence, afterMs) : { ...recurrence, untilMs: fireMs };
  for (const { kind, atMs } of instantsFrom(bounded, afterMs + 1)) {
    if (kind !== 'skipped') return { fireMs, lookMs: atMs };
  }
  return { fireMs, lookMs: null };
}

/** What recurs seldom would be looked for through thousands of years of clock changes otherwise. */
export const farthestFireMs = 20 * 366 * 86_400_000;

/** An expression may name nothing but days off: that is looked for no farther. */
function withinSight(recurrence: Recurrence, afterMs: number): Recurrence {
  if (recurrence.kind !== 'cron' || !recurrence.daysOff) return recurrence;
  const horizonMs = Math.max(afterMs, recurrence.fromMs) + farthestFireMs;
  return { ...recurrence, untilMs: Math.min(recurrence.untilMs ?? Infinity, horizonMs) };
}

/** Of days off, one entry for each day. */
export interface DayOffTimes extends DayOffTime {
  count: number;
}

export interface NextFires {
  /** Fires, and between them what the clock leaps over and days off. */
  instants: (CronInstant | DayOffTimes)[];
  /** What recurs after it was not looked for, as it is too far away; null where that hides nothing. */
  lookedUntilMs: number | null;
}

/** Days off may have each minute of two months: so many of their times are looked at. */
const mostTimesOff = 100_000;

/**
 * The next `count` fires after `afterMs` and before `beforeMs`, both exclusive, within twenty years of the first or of
 * its beginning.
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
