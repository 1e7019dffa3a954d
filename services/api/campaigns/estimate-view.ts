import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { CampaignEstimate } from '../../../shared/contracts/campaigns/estimates.ts';
import type { AskedSource, AskedSources } from './ask-sources.ts';

/** What is known of an audience before a run has merged it. */
export function estimateView(
  campaignId: string,
  { countries, audience }: CampaignDefinition,
  { sources, warnings }: AskedSources,
  now: Date,
): CampaignEstimate {
  return {
    campaignId,
    asOf: now.toISOString(),
    countries: countryEstimates(countries, sources),
    holdOutPercent: audience.holdOutPercent ?? 0,
    warnings,
  };
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
