import { firstInstantOf, zonesOfCountry } from '../../domain/recurrence/local-start.ts';

export interface LocalSchedule {
  time: string;
  zones?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the zone of a country's time: the named zone, or any of the country's zones if all show that time at the same
 * instant. Otherwise returns the zones to choose from.
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

/** Returns the start in a country, in whole milliseconds since 1970; undefined if the country's zone is unknown. */
export function localStartMs(schedule: LocalSchedule, country: string): number | undefined {
  const found = zoneOfCountry(schedule, country);
  return 'zone' in found ? instantIn(found.zone, schedule.time) : undefined;
}

function instantIn(zone: string, time: string): number {
  return firstInstantOf(zone, Date.parse(`${time}Z`));
}

export function earliestStartMs(schedule: LocalSchedule, countries: readonly string[]): number | undefined {
  const starts = countries.map((country) => localStartMs(schedule, country)).filter((atMs) => atMs !== undefined);
  return starts.length === 0 ? undefined : Math.min(...starts);
}
