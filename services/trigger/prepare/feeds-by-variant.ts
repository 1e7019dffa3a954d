import { splitOf } from '../../../shared/contracts/campaigns/variants.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { divideUsers } from '../../../shared/domain/run/divide-users.ts';
import { partsOf } from '../../../shared/domain/run/split.ts';
import type { NewFeed, RunToPrepare } from '../ports/run-store.ts';

/**
 * Returns a feed for each variant of the run, with its part of the users and limits; without variants, the feed itself.
 * If the definition has no seed, the run's id is used, so that each run divides its users anew.
 */
export function feedsByVariant(
  feed: NewFeed,
  { runId, definition }: Pick<RunToPrepare, 'runId' | 'definition'>,
): NewFeed[] {
  const weights = splitOf(definition.chain).map(({ weight = 0 }) => weight);
  if (weights.length === 0) return [feed];
  const { audience, usersAtMost, canaryUsers } = feed;
  const divided = (users: number | undefined) => (users === undefined ? [] : divideUsers(users, weights));
  const [limits, canary] = [divided(usersAtMost), divided(canaryUsers)];
  return partsOf(weights, definition.splitSeed ?? publicId('run', runId)).map((split, index) => ({
    ...feed,
    variant: index + 1,
    audience: { ...audience, split },
    usersAtMost: limits[index],
    canaryUsers: canary[index],
  }));
}
