import type { CampaignDefinition, ChainStep } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { Catalogue } from '../../../../shared/contracts/endpoints/engine-config.ts';
import { amountOf, sumOfAmounts } from '../../../../shared/domain/money/amounts.ts';
import type { CampaignEstimate } from '../../../../shared/contracts/campaigns/estimates.ts';
import type { Warning } from '../../../../shared/contracts/warnings.ts';
import { splitOf, wholeWeight } from '../../../../shared/contracts/campaigns/variants.ts';
import type { UserBounds } from '../../../../shared/contracts/campaigns/user-bounds.ts';
import type { EstimatedSource, SourceEstimates } from './source-estimates.ts';

export function estimateView(
  campaignId: string,
  { countries, audience, chain }: CampaignDefinition,
  sourceEstimates: SourceEstimates,
  { now, prices }: { now: Date; prices: PriceTerms },
): CampaignEstimate {
  const estimates = countryEstimates(countries, sourceEstimates);
  const { holdOutPercent = 0 } = audience;
  const users = sumOfBounds(estimates);
  return {
    campaignId,
    asOf: now.toISOString(),
    countries: estimates,
    users,
    holdOutPercent,
    variants: variantEstimates(chain, users),
    ...estimatedCostOf(chain, estimates, { ...prices, holdOutPercent }),
    warnings: sourceEstimates.warnings,
  };
}

/** Returns the expected users of each variant. The split is by a hash, so a run has slightly more or fewer. */
export function variantEstimates(
  chain: readonly Pick<ChainStep, 'variants'>[],
  { atLeast, atMost }: UserBounds,
): CampaignEstimate['variants'] {
  return splitOf(chain).map(({ name, weight = 0 }) => {
    const shareOf = (users: number) => Math.round((users * weight) / wholeWeight);
    return { name, weight, users: { atLeast: shareOf(atLeast), atMost: atMost === null ? null : shareOf(atMost) } };
  });
}

export interface PriceTerms {
  actionTypes: Catalogue['actionTypes'];
  currency: string | null;
}

/** Returns the estimated cost; an empty object if no step costs units. */
export function estimatedCostOf(
  chain: readonly Partial<Pick<ChainStep, 'action' | 'unitsPerUser'>>[],
  countries: CampaignEstimate['countries'],
  { actionTypes, currency, holdOutPercent }: PriceTerms & { holdOutPercent: number },
): Pick<CampaignEstimate, 'cost'> {
  const steps = chain.flatMap(({ action = '', unitsPerUser = 0 }) => {
    const price = Object.hasOwn(actionTypes, action) ? actionTypes[action]?.price : undefined;
    return unitsPerUser === 0 ? [] : [{ unitsPerUser, price }];
  });
  if (steps.length === 0) return {};
  const costOf = (users: number) => {
    const served = Math.round(users * (1 - holdOutPercent / 100));
    const amounts = steps.flatMap(({ unitsPerUser, price }) =>
      price === undefined ? [] : [amountOf(served * unitsPerUser, price)],
    );
    return { units: steps.reduce((sum, step) => sum + served * step.unitsPerUser, 0), amount: sumOfAmounts(amounts) };
  };
  const { atLeast, atMost } = sumOfBounds(countries);
  return { cost: { currency, atLeast: costOf(atLeast), atMost: atMost === null ? null : costOf(atMost) } };
}

/** Sums the bounds of all countries. The sum is exact if all countries have exact counts. */
export function sumOfBounds(countries: CampaignEstimate['countries']): UserBounds {
  const sum = countries.reduce<UserBounds>(
    ({ atLeast, atMost }, { users }) => ({
      atLeast: atLeast + users.atLeast,
      atMost: atMost === null || users.atMost === null ? null : atMost + users.atMost,
    }),
    { atLeast: 0, atMost: 0 },
  );
  const times = countries.flatMap(({ users: { countedAt } }) => countedAt ?? []);
  const [oldest] = times.toSorted();
  return oldest !== undefined && times.length === countries.length ? { ...sum, countedAt: oldest } : sum;
}

/** A warning is shown if the lower bound is less than this share of the upper bound. */
const smallShare = 0.1;

export function fewUsersWarning(countries: readonly string[], sourceEstimates: KnownSources): Warning[] {
  const { atLeast, atMost } = sumOfBounds(countryEstimates(countries, sourceEstimates));
  if (atMost === null || atMost === 0 || atLeast >= atMost * smallShare) return [];
  const detail =
    `the campaign may reach far fewer users than it seems: ${atLeast.toLocaleString('en-US')} to ${atMost.toLocaleString('en-US')} users. ` +
    `Exclusions and overlaps are known only when the campaign runs or is counted`;
  return [{ pointer: '/audience', code: 'may-be-few', detail }];
}

type KnownSources = Pick<SourceEstimates, 'estimatedAt' | 'sources' | 'counted'>;

/**
 * Returns the users of each country: the exact count if there is one, otherwise bounds from the sizes of the sources.
 */
export function countryEstimates(
  countries: readonly string[],
  { estimatedAt, sources, counted }: KnownSources,
): CampaignEstimate['countries'] {
  return countries.map((country) => {
    const sourcesOf = (role: EstimatedSource['role']) =>
      sources
        .filter((source) => source.country === country && source.role === role)
        .map(({ entry, users }) => ({ source: entry, users }));
    const [include, exclude] = [sourcesOf('include'), sourcesOf('exclude')];
    const exact = counted?.byCountry.get(country);
    if (counted !== null && exact !== undefined) {
      const users = { atLeast: exact, atMost: exact, countedAt: counted.at.toISOString() };
      return { country, include, exclude, users };
    }
    const users = boundsOf(include, exclude);
    const countedAt = isOneStored(include, exclude) ? { countedAt: estimatedAt.toISOString() } : {};
    return { country, include, exclude, users: { ...users, ...countedAt } };
  });
}

/**
 * Returns true if the audience is a single list or a single earlier run. Their users are stored, so the number is
 * exact.
 */
function isOneStored(include: readonly SourceView[], exclude: readonly SourceView[]): boolean {
  const [one] = include;
  const isAlone = one !== undefined && include.length === 1 && exclude.length === 0;
  return isAlone && !('segment' in one.source) && one.users !== null;
}

type SourceView = CampaignEstimate['countries'][number]['include'][number];

interface Counted {
  users: number | null;
}

/**
 * Returns bounds on the number of users. The lower bound assumes that all sources overlap and contain the excluded
 * users; the upper bound assumes that no sources overlap.
 */
function boundsOf(include: readonly Counted[], exclude: readonly Counted[]): UserBounds {
  const sum = (counted: readonly Counted[]) =>
    counted.reduce<number | null>((all, { users }) => (all === null || users === null ? null : all + users), 0);
  const excluded = sum(exclude);
  const largest = Math.max(...include.map(({ users }) => users ?? 0));
  return { atLeast: excluded === null ? 0 : Math.max(0, largest - excluded), atMost: sum(include) };
}
