/**
 * Formats a time as `Sun 29 Nov 2026, 09:32`, with day and year, because a shared page is often read on another day.
 */
export function timeText(instant: string, zone: string): string {
  const parts = partsOf(instant, zone, {
    ...({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const),
    ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const),
  });
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${part('weekday')} ${part('day')} ${part('month')} ${part('year')}, ${part('hour')}:${part('minute')}`;
}

/** Formats a time zone as `Asia/Singapore (UTC+8)`. */
export function zoneText(zone: string, instant: string): string {
  const offset = partsOf(instant, zone, { timeZoneName: 'shortOffset' }).get('timeZoneName')?.replace('GMT', 'UTC');
  return offset === undefined || zone === 'UTC' ? zone : `${zone} (${offset})`;
}

/** Formats a duration with its two largest units: `1 h 38 min`, `2 min 41 s`, `38 s`. */
export function spanText(ms: number): string {
  const seconds = Math.round(Math.max(0, ms) / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return twoUnits(seconds, [60, 'min'], [1, 's']);
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return twoUnits(minutes, [60, 'h'], [1, 'min']);
  return twoUnits(Math.round(minutes / 60), [24, 'd'], [1, 'h']);
}

function twoUnits(span: number, [large, largeName]: [number, string], [small, smallName]: [number, string]): string {
  const rest = Math.floor((span % large) / small);
  const whole = `${Math.floor(span / large)} ${largeName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

function partsOf(instant: string, zone: string, options: Intl.DateTimeFormatOptions) {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options });
  return new Map(format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]));
}
