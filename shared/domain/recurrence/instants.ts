import type { Cron } from './cron.ts';
import { localTimes, timesOfDaysOff, workingTimes } from './local-times.ts';
import type { DaysOff } from './work-calendars.ts';
import { zoneSpans } from './zone-spans.ts';

/**
 * What happened to an instant at a clock change.
 * - `shifted`: it stands for fixed times that the clock leaps over, at the first valid instant after them
 * - `repeated`: the clock shows this time for the second time
 */
export type InstantMark = 'shifted' | 'repeated';

export interface FireInstant {
  kind: 'fire';
  atMs: number;
  mark: InstantMark | null;
  /** The wall-clock time that is meant (local-times.ts); null for intervals. */
  localMs: number | null;
}

/** Wall-clock times that the clock leaps over, and that nothing stands for. */
export interface LeaptTimes {
  kind: 'skipped';
  /** When the clock leaps. */
  atMs: number;
  firstLocalMs: number;
  lastLocalMs: number;
  count: number;
}

export type CronInstant = FireInstant | LeaptTimes;

/** A time that falls on a day off, and does not fire. */
export interface DayOffTime {
  kind: 'day-off';
  /** When it would. */
  atMs: number;
  localMs: number;
}

/** A gap may be a whole day, and what it leaps over belongs to the instant after it. */
const lookBackMs = 3 * 86_400_000;

/** Both inclusive. */
export interface TimeRange {
  fromMs: number;
  /** Infinity: without an end. */
  untilMs: number;
}

/**
 * The instants of an expression in a zone, ascending. Nothing is looked for beyond the range.
 *
 * Spans of the zone are walked with a mark of how far the wall clock has come. A span that begins above the mark has
 * leapt: fixed times in between fire once, at its first instant; others not at all. One that begins below it shows
 * times again: fixed times are not repeated, others are.
 * @param times on the wall clock, from one (inclusive) until another (exclusive), whatever its changes
 */
export function* cronInstants(
  cron: Cron,
  zone: string,
  { fromMs, untilMs }: TimeRange,
  times: (fromMs: number, untilMs: number) => Iterable<number> = localTimes.bind(null, cron),
): Generator<CronInstant, void> {
  let shownMs: number | undefined;
  for (const { startMs, endMs, offsetMs } of zoneSpans(zone, fromMs - lookBackMs)) {
    if (startMs > untilMs) return;
    const localStartMs = startMs + offsetMs;
    shownMs ??= localStartMs;
    const leapt = leaptTimes(times(shownMs, localStartMs), cron.isFixed, startMs);
    if (leapt && startMs >= fromMs) yield leapt;

    // Shifted, it may fall together with a time of its own: that is still one fire.
    const isTaken = leapt?.kind === 'fire';
    const firstMs: number = cron.isFixed ? Math.max(localStartMs, shownMs) : localStartMs;
    const lastMs = Math.min(endMs, untilMs + 1) + offsetMs;
    for (const localMs of times(Math.max(firstMs, fromMs + offsetMs), lastMs)) {
      const atMs = localMs - offsetMs;
      if (isTaken && atMs === startMs) continue;
      yield { kind: 'fire', atMs, mark: localMs < shownMs ? 'repeated' : null, localMs };
    }
    shownMs = Math.max(shownMs, endMs + offsetMs);
  }
}

function leaptTimes(times: Iterable<number>, isFixed: boolean, atMs: number): CronInstant | undefined {
  let firstLocalMs: number | undefined;
  let lastLocalMs = 0;
  let count = 0;
  for (const localMs of times) {
    if (isFixed) return { kind: 'fire', atMs, mark: 'shifted', localMs };
    firstLocalMs ??= localMs;
    lastLocalMs = localMs;
    count++;
  }
  return firstLocalMs === undefined ? undefined : { kind: 'skipped', atMs, firstLocalMs, lastLocalMs, count };
}

/** What fires where some days are off. */
export function workingInstants(
  cron: Cron,
  zone: string,
  range: TimeRange,
  daysOff: DaysOff,
): Generator<CronInstant, void> {
  return cronInstants(cron, zone, range, workingTimes.bind(null, cron, daysOff));
}

/** What fires, and the times of days off between it, but for those at which a time of another day fires. */
export function* instantsAndDaysOff(
  cron: Cron,
  zone: string,
  range: TimeRange,
  daysOff: DaysOff,
): Generator<CronInstant | DayOffTime, void> {
  const working = workingInstants(cron, zone, range, daysOff);
  let next = working.next();
  for (const off of timesOff(cron, zone, range, daysOff)) {
    while (next.done !== true && next.value.atMs < off.atMs) {
      yield next.value;
      next = working.next();
    }
    if (next.done === true || next.value.atMs > off.atMs) yield off;
  }
  for (; next.done !== true; next = working.next()) yield next.value;
}

function* timesOff(cron: Cron, zone: string, range: TimeRange, { calendar }: DaysOff): Generator<DayOffTime, void> {
  for (const each of cronInstants(cron, zone, range, timesOfDaysOff.bind(null, cron, calendar))) {
    if (each.kind === 'fire') yield { kind: 'day-off', atMs: each.atMs, localMs: each.localMs ?? each.atMs };
  }
}

/** Each `everyMs` from the anchor on, whatever the clocks show; the first one is at or after `fromMs`. */
export function* intervalInstants(everyMs: number, anchorMs: number, fromMs: number): Generator<FireInstant, void> {
  let atMs = anchorMs + Math.max(0, Math.ceil((fromMs - anchorMs) / everyMs)) * everyMs;
  for (; ; atMs += everyMs) yield { kind: 'fire', atMs, mark: null, localMs: null };
}
