import type { CampaignDefinition, ChainStep } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import { amountOf, sumOfAmounts } from '../../../shared/domain/money/amounts.ts';
import type { CampaignEstimate } from '../../../shared/contracts/campaigns/estimates.ts';
import type { AskedSource, AskedSources } from './ask-sources.ts';

/** What is known of an audience before a run has merged it. */
export function estimateView(
  campaignId: string,
  { countries, audience, chain }: CampaignDefinition,
  { sources, warnings }: AskedSources,
  { now, prices }: { now: Date; prices: PriceTerms },
): CampaignEstimate {
  const estimates = countryEstimates(countries, sources);
  const { holdOutPercent = 0 } = audience;
  return {
    campaignId,
    asOf: now.toISOString(),
    countries: estimates,
    holdOutPercent,
    ...estimatedCostOf(chain, estimates, { ...prices, holdOutPercent }),
    warnings,
  };
}

/** What things cost now. */
export interface PriceTerms {
  actionTypes: Catalogue['actionTypes'];
  currency: string | null;
}

/** Nothing where no step costs units. */
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
  const sum = (counts: readonly (number | null)[]) =>
    counts.reduce<number | null>((all, count) => (all === null || count === null ? null : all + count), 0);
  const atMost = sum(countries.map(({ users }) => users.atMost));
  const atLeast = sum(countries.map(({ users }) => users.atLeast)) ?? 0;
  return { cost: { currency, atLeast: costOf(atLeast), atMost: atMost === null ? null : costOf(atMost) } };
}

export function countryEstimates(
  countries: readonly string[],
  sources: readonly AskedSource[],
): CampaignEstimate['countries'] {
  return countries.map((country) => {
    const of = (role: AskedSource['role']) =>
      sources
        .filter((source) => source.country === country && source.role === role)
        .map(({ entry, users }) => ({ source: entry, users }));
    const [include, exclude] = [of('include'), of('exclude')];
    return { country, include, exclude, users: boundsOf(include, exclude) };
  });
}

interface Counted {
  users: number | null;
}

/** Between "all overlap, and the excluded users are among them" and "none do". */
function boundsOf(
  include: readonly Counted[],
  exclude: readonly Counted[],
): { atLeast: number; atMost: number | null } {
  const sum = (counted: readonly Counted[]) =>
    counted.reduce<number | null>((all, { users }) => (all === null || users === null ? null : all + users), 0);
  const excluded = sum(exclude);
  const largest = Math.max(...include.map(({ users }) => users ?? 0));
  return { atLeast: excluded === null ? 0 : Math.max(0, largest - excluded), atMost: sum(include) };
}
