import { firstInstantOf, zonesOfCountry } from '../../domain/recurrence/local-start.ts';

/** A wall-clock time in each country's zone. */
export interface LocalSchedule {
  time: string;
  zones?: Readonly<Record<string, string>> | undefined;
}

/**
 * The zone that a country's time is meant in; those that there are, where the configuration does not say which of
 * several.
 */
export function zoneOfCountry({ zones }: LocalSchedule, country: string): { zone: string } | { choices: string[] } {
  const named = zones?.[country];
  if (named !== undefined) return { zone: named };
  const choices = zonesOfCountry(country);
  const [only] = choices;
  return only !== undefined && choices.length === 1 ? { zone: only } : { choices };
}

/** When it begins in a country; undefined where the country's zone is not known. In whole milliseconds. */
export function localStartMs(schedule: LocalSchedule, country: string): number | undefined {
  const found = zoneOfCountry(schedule, country);
  return 'zone' in found ? firstInstantOf(found.zone, Date.parse(`${schedule.time}Z`)) : undefined;
}

/** The first of its countries' starts. */
export function earliestStartMs(schedule: LocalSchedule, countries: readonly string[]): number | undefined {
  const starts = countries.map((country) => localStartMs(schedule, country)).filter((atMs) => atMs !== undefined);
  return starts.length === 0 ? undefined : Math.min(...starts);
}
