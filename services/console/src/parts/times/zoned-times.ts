/** Conversions between wall-clock times in a zone, such as `2026-12-01T09:00`, and instants. */

/** Returns all zones that this browser knows, UTC first. */
export function zoneNames(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}

export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Converts an instant into the wall-clock time of a zone, `2026-12-01T09:00:00`; empty if the instant is invalid. */
export function wallClock(instant: string | number, zone: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}`;
}

/**
 * Converts a wall-clock time into an RFC 3339 instant. If the clocks show the time twice, returns the first instant; if
 * they skip it, the first instant after the gap. Null if the text is not a time.
 */
export function instantOf(time: string, zone: string): string | null {
  const asUtcMs = Date.parse(`${time.length === 16 ? `${time}:00` : time}Z`);
  if (Number.isNaN(asUtcMs)) return null;
  const wanted = new Date(asUtcMs).toISOString().slice(0, 19);
  // The offset at that time is the offset of the day before or of the day after.
  const offsets = [asUtcMs - dayMs, asUtcMs + dayMs].map((atMs) => offsetMs(atMs, zone));
  const candidates = offsets.map((offset) => asUtcMs - offset).sort((a, b) => a - b);
  const exact = candidates.find((atMs) => wallClock(atMs, zone) === wanted);
  return new Date(exact ?? endOfGap(candidates, zone)).toISOString();
}

/** Returns true if the clocks of a zone show a time twice, because they are set back. */
export function isAmbiguousTime(time: string, zone: string): boolean {
  const asUtcMs = Date.parse(`${time}Z`);
  const instants = [asUtcMs - dayMs, asUtcMs + dayMs].map((atMs) => asUtcMs - offsetMs(atMs, zone));
  return new Set(instants.filter((atMs) => wallClock(atMs, zone) === time)).size === 2;
}

/**
 * Returns the first instant with the later offset, for a time that the clocks skip. The candidates are the time under
 * the offset before the gap and under the offset after it.
 */
function endOfGap(candidates: readonly number[], zone: string): number {
  let [before = 0, after = 0] = candidates;
  const changed = offsetMs(after, zone);
  while (after - before > 1000) {
    const middle = Math.floor((before + after) / 2000) * 1000;
    if (offsetMs(middle, zone) === changed) after = middle;
    else before = middle;
  }
  return after;
}

function offsetMs(atMs: number, zone: string): number {
  return Date.parse(`${wallClock(atMs, zone)}Z`) - Math.floor(atMs / 1000) * 1000;
}

const dayMs = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const numeric = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...numeric, ...clock });
  formats.set(zone, format);
  return format;
}
