import { Temporal } from 'temporal-polyfill';

export interface ZoneSpan {
  startMs: number;
  /** Exclusive. */
  endMs: number;
  /** Local time minus UTC. */
  offsetMs: number;
}

/** Names of the IANA database only: otherwise `+08:00`, and whole times with a zone in brackets, would be accepted. */
const zonePattern = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

export function isZone(zone: string): boolean {
  if (!zonePattern.test(zone)) return false;
  try {
    return new Temporal.ZonedDateTime(0n, zone).timeZoneId !== '';
  } catch {
    return false;
  }
}

/** Returns the wall-clock time of a zone at an instant, to the second: `2026-12-01T09:00:00`. */
export function localTimeAt(zone: string, atMs: number): string {
  const there = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  return there.toPlainDateTime().toString({ smallestUnit: 'second' });
}

/**
 * Yields the spans of a zone without gaps; the first begins at `fromMs`, the last has no end.
 * @throws RangeError if the zone does not exist
 */
export function* zoneSpans(zone: string, fromMs: number): Generator<ZoneSpan, void> {
  let start = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(zone);
  for (;;) {
    const next = start.getTimeZoneTransition('next');
    const startMs = start.epochMilliseconds;
    yield { startMs, endMs: next?.epochMilliseconds ?? Infinity, offsetMs: start.offsetNanoseconds / 1e6 };
    if (!next) return;
    start = next;
  }
}
