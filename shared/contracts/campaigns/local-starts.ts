import { firstInstantOf, zonesOfCountry } from '../../domain/recurrence/local-start.ts';

/** A wall-clock time in each country's zone. */
export interface LocalSchedule {
  time: string;
  zones?: Readonly<Record<string, string>> | undefined;
}

/**
 * The zone that a country's time is meant in: of several any, where all show that time at once. Those that there are,
 * where they do not and none is named.
 */
export function zoneOfCountry(
  { time, zones }: LocalSchedule,
  country: string,
): { zone: string } | { choices: string[] } {
  const named = zones?.[country];
  if (named !== undefined) return { zone: named };
  const choices = zonesOfCountry(country);
  const [first] = choices;
  if (first === undefined) return { choices };
  const startMs = instantIn(first, time);
  return choices.every((zone) => zone === first || instantIn(zone, time) === startMs) ? { zone: first } : { choices };
}

/** When it begins in a country; undefined where the country's zone is not known. In whole milliseconds. */
export function localStartMs(schedule: LocalSchedule, country: string): number | undefined {
  const found = zoneOfCountry(schedule, country);
  return 'zone' in found ? instantIn(found.zone, schedule.time) : undefined;
}

function instantIn(zone: string, time: string): number {
  return firstInstantOf(zone, Date.parse(`${time}Z`));
}

/** The first of its countries' starts. */
export function earliestStartMs(schedule: LocalSchedule, countries: readonly string[]): number | undefined {
  const starts = countries.map((country) => localStartMs(schedule, country)).filter((atMs) => atMs !== undefined);
  return starts.length === 0 ? undefined : Math.min(...starts);
}
