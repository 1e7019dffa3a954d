import { zoneSpans } from './zone-spans.ts';

/** Milliseconds searched before the time, because a gap may last a whole day. */
const lookBackMs = 3 * 86_400_000;

/**
 * Returns the first instant at which the clocks of a zone show a time. If they skip that time, returns the first valid
 * instant after it.
 * @param localMs the wall-clock time, as milliseconds since 1970-01-01T00:00 on that clock
 */
export function firstInstantOf(zone: string, localMs: number): number {
  let seenLocalMs: number | undefined;
  for (const { startMs, endMs, offsetMs } of zoneSpans(zone, localMs - lookBackMs)) {
    seenLocalMs ??= startMs + offsetMs;
    if (localMs < startMs + offsetMs) return startMs;
    if (localMs >= seenLocalMs && localMs < endMs + offsetMs) return localMs - offsetMs;
    seenLocalMs = Math.max(seenLocalMs, endMs + offsetMs);
  }
  throw new Error(`the clocks of ${zone} never show ${new Date(localMs).toISOString()}`);
}

/**
 * Returns the zones of a country in Unicode's data; empty for unknown countries.
 * @param country ISO 3166-1 alpha-2
 */
export function zonesOfCountry(country: string): string[] {
  const locale = new Intl.Locale('und', { region: country });
  // TypeScript's library does not declare `getTimeZones` yet.
  const ask: unknown = Reflect.get(locale, 'getTimeZones');
  const zones: unknown = typeof ask === 'function' ? Reflect.apply(ask, locale, []) : undefined;
  return Array.isArray(zones) ? zones.filter((zone) => typeof zone === 'string') : [];
}
