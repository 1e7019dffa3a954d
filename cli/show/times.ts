import type { Campaign } from '../../sdk/generated/types.gen.ts';

/** Returns the time zone of a campaign's schedule; undefined if it has none. */
export function zoneOf({ schedule }: Pick<Campaign, 'schedule'>): string | undefined {
  return 'zone' in schedule ? schedule.zone : undefined;
}

/** Formats `2027-01-15` in UTC. */
export function utcDay(instant: string): string {
  return instant.slice(0, 10);
}

/** Formats `2027-01-15 01:00 UTC`. */
export function utcTime(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;
}

/** Formats `20:44:20 UTC`. */
export function utcTimeOfDay(instant: string): string {
  return `${instant.slice(11, 19)} UTC`;
}

/** Formats `2027-01-15 09:00 Asia/Singapore`; UTC without a zone. */
export function localTime(instant: string, zone: string | undefined): string {
  if (zone === undefined) return utcTime(instant);
  try {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
    return `${format.format(new Date(instant))} ${zone}`;
  } catch {
    // The API may know a zone that this version of Node does not know; the time is then in UTC.
    return utcTime(instant);
  }
}

/** Formats `2027-01-15 09:00 Asia/Singapore (2027-01-15 01:00 UTC)`. */
export function localAndUtc(instant: string, zone: string | undefined): string {
  const [local, utc] = [localTime(instant, zone), utcTime(instant)];
  return local === utc ? utc : `${local} (${utc})`;
}

/** Formats `2027-01-15 01:00:20 UTC`. */
export function utcSecond(instant: string): string {
  return `${instant.slice(0, 10)} ${utcTimeOfDay(instant)}`;
}
