import type { Cron } from './cron.ts';
import { localTimes, timesOfDaysOff, workingTimes } from './local-times.ts';
import type { DaysOff } from './work-calendars.ts';
import { zoneSpans } from './zone-spans.ts';

/**
 * Effect of a clock change on an instant.
 * - `shifted`: the first valid instant after fixed times that the clock skips; it fires in their place
 * - `repeated`: the clock shows this time for the second time
 */
export type InstantMark = 'shifted' | 'repeated';

export interface FireInstant {
  kind: 'fire';
  atMs: number;
  mark: InstantMark | null;
  /** Wall-clock time of the instant (local-times.ts); null for intervals. */
  localMs: number | null;
}

/** Wall-clock times that the clock skips, and that fire at no other instant. */
export interface LeaptTimes {
  kind: 'skipped';
  atMs: number;
  firstLocalMs: number;
  lastLocalMs: number;
  count: number;
}

export type CronInstant = FireInstant | LeaptTimes;

/** A time on a day off, which does not fire. */
export interface DayOffTime {
  kind: 'day-off';
  /** Instant at which the time would fire. */
  atMs: number;
  localMs: number;
}

/**
 * Milliseconds searched before a range, because a gap may last a whole day, and its times belong to the instant after
 * the gap.
 */
const lookBackMs = 3 * 86_400_000;

export interface TimeRange {
  fromMs: number;
  untilMs: number;
}

/**
 * Yields the instants of an expression in a zone, ascending, within the range.
 *
 * The generator walks the zone's spans and tracks the latest wall-clock time shown so far. If a span begins later than
 * that, the clock has skipped times: fixed times in the gap fire once, at the first instant of the span; other times do
 * not fire. If a span begins earlier, the clock shows times again: fixed times are not repeated, other times are.
 * @param times returns wall-clock times, from one (inclusive) until another (exclusive), regardless of clock changes
 */
export function* cronInstants(
  cron: Cron,
  zone: string,
  { fromMs, untilMs }: TimeRange,
  times: (fromMs: number, untilMs: number) => Iterable<number> = localTimes.bind(null, cron),
): Generator<CronInstant, void> {
  let seenLocalMs: number | undefined;
  for (const { startMs, endMs, offsetMs } of zoneSpans(zone, fromMs - lookBackMs)) {
    if (startMs > untilMs) return;
    const localStartMs = startMs + offsetMs;
    seenLocalMs ??= localStartMs;
    const leapt = leaptTimes(times(seenLocalMs, localStartMs), cron.isFixed, startMs);
    if (leapt && startMs >= fromMs) yield leapt;

    // A shifted time may coincide with a regular time; both fire once.
    const isTaken = leapt?.kind === 'fire';
    const firstMs: number = cron.isFixed ? Math.max(localStartMs, seenLocalMs) : localStartMs;
    const lastMs = Math.min(endMs, untilMs + 1) + offsetMs;
    for (const localMs of times(Math.max(firstMs, fromMs + offsetMs), lastMs)) {
      const atMs = localMs - offsetMs;
      if (isTaken && atMs === startMs) continue;
      yield { kind: 'fire', atMs, mark: localMs < seenLocalMs ? 'repeated' : null, localMs };
    }
    seenLocalMs = Math.max(seenLocalMs, endMs + offsetMs);
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

export function workingInstants(
  cron: Cron,
  zone: string,
  range: TimeRange,
  daysOff: DaysOff,
): Generator<CronInstant, void> {
  return cronInstants(cron, zone, range, workingTimes.bind(null, cron, daysOff));
}

/**
 * Yields the instants that fire, and between them the times of days off. A time of a day off is omitted if a time of
 * another day fires at the same instant.
 */
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

/** Yields an instant every `everyMs` from the anchor on, regardless of clock changes, not before `fromMs`. */
export function* intervalInstants(everyMs: number, anchorMs: number, fromMs: number): Generator<FireInstant, void> {
  let atMs = anchorMs + Math.max(0, Math.ceil((fromMs - anchorMs) / everyMs)) * everyMs;
  for (; ; atMs += everyMs) yield { kind: 'fire', atMs, mark: null, localMs: null };
}
