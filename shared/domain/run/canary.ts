import { divideUsers } from './divide-users.ts';

/**
 * States of a canary, stored with the run; null if the run has none.
 * - `serving`: the first users are fed, and no others.
 * - `waits`: the first users have all ended, and the run is paused until a person resumes it.
 * - `over`: all users are fed.
 */
export const canaryStates = ['serving', 'waits', 'over'] as const;

export type CanaryState = (typeof canaryStates)[number];

/**
 * Decision of a person after a canary.
 * - `pause`: to resume the run.
 * - `choose-variant`: to choose one of the variants that the canary users got, for all other users.
 */
export const canaryEnds = ['pause', 'choose-variant'] as const;

/** Prefix of the reason of a run that waits for a person's decision after its canary. */
export const canaryReason = 'canary';

/** Returns true if no person has decided yet. */
export function isWaitingAfterCanary(stateReason: string | null): boolean {
  return stateReason?.startsWith(`${canaryReason}: `) ?? false;
}

/** Size of a canary: a number of users over all countries, or a percentage of the estimate of each country. */
export type CanarySize = { users: number } | { percent: number };

/** Upper bounds of the users by country, from the estimates of the sources; null if a source has no estimate. */
export type EstimatesByCountry = Readonly<Record<string, number | null>>;

/** Canary users of a country for a percentage without an estimate. */
const usersWithoutEstimate = 1000;

/**
 * Returns the number of first users in each country: the same for the same estimates, without reading any user. A
 * number is divided in proportion to the estimates, and the parts add up to it. A percentage selects at least one user
 * in each country.
 */
export function canaryShares(size: CanarySize, estimates: EstimatesByCountry): Record<string, number> {
  const countries = Object.keys(estimates).toSorted();
  if ('percent' in size) {
    const shareOf = (estimate: number | null) =>
      estimate === null ? usersWithoutEstimate : Math.max(1, Math.ceil((estimate * size.percent) / 100));
    return Object.fromEntries(countries.map((country) => [country, shareOf(estimates[country] ?? null)]));
  }
  const parts = divideUsers(size.users, weightsOf(countries, estimates));
  return Object.fromEntries(countries.map((country, place) => [country, parts[place] ?? 0]));
}

/** Returns the weights of the countries. A country without an estimate has the average weight of the others. */
function weightsOf(countries: readonly string[], estimates: EstimatesByCountry): number[] {
  const known = countries.flatMap((country) => estimates[country] ?? []);
  const sum = known.reduce((all, users) => all + users, 0);
  const usual = sum === 0 ? 1 : sum / known.length;
  return countries.map((country) => (sum === 0 ? 1 : (estimates[country] ?? usual)));
}
