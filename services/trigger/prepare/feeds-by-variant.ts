import { splitOf, wholeWeight } from '../../../shared/contracts/campaigns/variants.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { divideUsers } from '../../../shared/domain/run/divide-users.ts';
import { partsOf } from '../../../shared/domain/run/split.ts';
import type { NewFeed, RunToPrepare } from '../ports/run-store.ts';

/**
 * Returns a feed for each variant of the run, with its part of the users and limits; without variants, the feed itself.
 * If the definition has no seed, the run's id is used, so that each run divides its users anew.
 *
 * If a person chooses a variant after the canary, the variants divide only the canary users, and a further feed has all
 * others: the remaining feed. It has no variant until the choice, and no user of the canary.
 */
export function feedsByVariant(
  feed: NewFeed,
  {
    runId,
    definition,
    canary,
    isDry = false,
  }: Pick<RunToPrepare, 'runId' | 'definition'> & Partial<Pick<RunToPrepare, 'canary' | 'isDry'>>,
): NewFeed[] {
  const weights = splitOf(definition.chain).map(({ weight = 0 }) => weight);
  if (weights.length === 0) return [feed];
  const seed = definition.splitSeed ?? publicId('run', runId);
  const { audience, usersAtMost, canaryUsers } = feed;
  const divided = (users: number | undefined, parts: readonly number[]) =>
    users === undefined ? [] : divideUsers(users, parts);
  if (canary?.then !== 'choose-variant') {
    const [limits, ofCanary] = [divided(usersAtMost, weights), divided(canaryUsers, weights)];
    return partsOf(weights, seed).map((split, index) => {
      const users = { usersAtMost: limits[index], canaryUsers: ofCanary[index] };
      return { ...feed, variant: index + 1, audience: { ...audience, split }, ...users };
    });
  }
  const parts = triedParts(canary.percent ?? 0, weights);
  const limits = divided(usersAtMost, parts);
  return partsOf(parts, seed).map((split, index) => {
    const ofAudience = { ...feed, audience: { ...audience, split }, usersAtMost: limits[index] };
    if (index < weights.length) return { ...ofAudience, variant: index + 1, canaryUsers: undefined };
    // A dry run counts all users at once.
    return { ...ofAudience, canaryUsers: isDry ? undefined : 0 };
  });
}

/** Returns the parts of the canary users by variant, and the part of all others, in hundredths of a percent. */
function triedParts(percent: number, weights: readonly number[]): number[] {
  const tried = Math.min(wholeWeight - 1, Math.round(percent * 100));
  const parts = divideUsers(tried, weights).map((part) => Math.max(1, part));
  const excess = parts.reduce((sum, part) => sum + part, 0) - tried;
  const largest = parts.indexOf(Math.max(...parts));
  const fitted = parts.map((part, index) => (index === largest ? part - excess : part));
  return [...fitted, wholeWeight - tried];
}
