import { zonesOfCountry } from '../recurrence/local-start.ts';

export const capCountings = ['rolling', 'calendar'] as const;

/** A user that is not called, because a cap is reached. */
export interface CappedUser {
  user: string;
  /** Name of the cap; of several, the first by name. */
  cap: string;
  /** Number of effects that count. */
  had: number;
  /** Limit of the cap. */
  effects: number;
  days: number;
}

export function capDetail({ cap, had, effects, days }: Omit<CappedUser, 'user'>): string {
  return `${cap}: ${had} of at most ${effects} within ${days} ${days === 1 ? 'day' : 'days'}`;
}

/** Returns the name of the cap and the number of effects in a detail of `capDetail`; undefined for other texts. */
export function readCapDetail(detail: string): Pick<CappedUser, 'cap' | 'had'> | undefined {
  const [, cap, had] = /^([a-z0-9-]+): (\d+) of at most /.exec(detail) ?? [];
  return cap === undefined ? undefined : { cap, had: Number(had) };
}

/** Returns the time zones whose days count in a country; UTC if none, or no country, is known. */
export function zonesOfDays(country: string | undefined): string[] {
  const zones = country === undefined ? [] : zonesOfCountry(country);
  return zones.length === 0 ? ['UTC'] : zones;
}
