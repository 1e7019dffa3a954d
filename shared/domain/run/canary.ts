/**
 * - `serving`: the first users are fed, and no others.
 * - `waits`: they have all ended, and the run is paused until a person lets it go on.
 * - `over`: everybody is fed.
 *
 * Kept with the run; null where there is none.
 */
export const canaryStates = ['serving', 'waits', 'over'] as const;

export type CanaryState = (typeof canaryStates)[number];

/** How the reason of a run begins that waits for what a person makes of its canary. */
export const canaryReason = 'canary';

/** No person has said anything of it so far. */
export function isWaitingAfterCanary(stateReason: string | null): boolean {
  return stateReason?.startsWith(`${canaryReason}: `) ?? false;
}

/** The first users of a run: so many over all countries, or such a share of what their sources estimate. */
export type CanarySize = { users: number } | { percent: number };

/** Users of a country, at most, as far as its sources say; null where one does not know. */
export type EstimatesByCountry = Readonly<Record<string, number | null>>;

/** Of a share, where there is nothing to take it of. */
const usersWithoutEstimate = 1000;

/**
 * How many users of each country are the first: the same for the same estimates, and without a look at any user. A
 * number is shared out by the estimates, so that the parts add up to it; a share takes one user of a country at least.
 */
export function canaryShares(size: CanarySize, estimates: EstimatesByCountry): Record<string, number> {
  const countries = Object.keys(estimates).toSorted();
  if ('percent' in size) {
    const shareOf = (estimate: number | null) =>
      estimate === null ? usersWithoutEstimate : Math.max(1, Math.ceil((estimate * size.percent) / 100));
    return Object.fromEntries(countries.map((country) => [country, shareOf(estimates[country] ?? null)]));
  }
  return partsOf(size.users, weightsOf(countries, estimates));
}

/** A country of which nothing is known counts as the average of the others. */
function weightsOf(countries: readonly string[], estimates: EstimatesByCountry): [string, number][] {
  const known = countries.flatMap((country) => estimates[country] ?? []);
  const sum = known.reduce((all, users) => all + users, 0);
  const usual = sum === 0 ? 1 : sum / known.length;
  return countries.map((country) => [country, sum === 0 ? 1 : (estimates[country] ?? usual)]);
}

/** By largest remainder. */
function partsOf(users: number, weights: readonly [string, number][]): Record<string, number> {
  const sum = weights.reduce((all, [, weight]) => all + weight, 0);
  const exact = weights.map(([country, weight]) => ({ country, part: (users * weight) / sum }));
  const rest = users - exact.reduce((all, { part }) => all + Math.floor(part), 0);
  const byRemainder = exact.toSorted((a, b) => (b.part % 1) - (a.part % 1) || (a.country < b.country ? -1 : 1));
  const raised = new Set(byRemainder.slice(0, rest).map(({ country }) => country));
  return Object.fromEntries(
    exact.map(({ country, part }) => [country, Math.floor(part) + (raised.has(country) ? 1 : 0)]),
  );
}
