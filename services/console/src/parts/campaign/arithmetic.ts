import type { CampaignDefinitionInput, CampaignPreview } from '#client/types.gen.ts';
import { formatCountKind, formatUserCount, partOfCount, type UserCount } from '../audience/user-count.ts';
import { formatCount } from '../words/numbers.ts';
import { formatDuration } from '../times/times.ts';
import { dividedShare, nameWithShare, usersOfVariant } from './variant-words.ts';

export interface SumLine {
  label: string;
  value: string;
  kind: 'plain' | 'sum' | 'aside';
}

type Previewed = Pick<CampaignPreview, 'countries' | 'holdOutPercent' | 'variants'>;

/**
 * Returns the parts of an audience as lines that add up. An estimate has a line for each unknown that only a count can
 * resolve, because a count merges the sources. A count has only its sum.
 */
export function audienceSums(
  { countries, holdOutPercent, variants }: Previewed,
  size: UserCount,
  canary?: CampaignDefinitionInput['canary'],
): SumLine[] {
  const lines: SumLine[] = [
    ...(size.kind === 'estimated' ? estimatedParts(countries) : []),
    { label: `Audience, ${formatCountKind(size)}`, value: formatUserCount(size), kind: 'sum' },
  ];
  const ofVariants = variantLines(variants, servedUsersOf(size, holdOutPercent), dividedShare(canary));
  if (holdOutPercent === 0) return [...lines, ...ofVariants];
  return [
    ...lines,
    {
      label: `held out, about ${holdOutPercent} %`,
      value: formatUserCount(heldOutUsersOf(size, holdOutPercent)),
      kind: 'aside',
    },
    { label: 'Get step 1', value: formatUserCount(servedUsersOf(size, holdOutPercent)), kind: 'sum' },
    ...ofVariants,
  ];
}

/** Returns the users of each variant, and the users that get the variant chosen after the canary. */
function variantLines(variants: Previewed['variants'], served: UserCount, share: number): SumLine[] {
  if (variants.length === 0) return [];
  const line = (label: string, users: UserCount): SumLine => ({ label, value: formatUserCount(users), kind: 'aside' });
  const weightOf = (weight: number) => Math.round(weight * share);
  return [
    ...variants.map((variant) => {
      const divided = { ...variant, weight: weightOf(variant.weight) };
      return line(`variant ${nameWithShare(divided)}`, usersOfVariant(served, divided));
    }),
    ...(share === 1 ? [] : [line('the variant you choose', partOfCount(served, 1 - share))]),
  ];
}

function estimatedParts(countries: Previewed['countries']): SumLine[] {
  const included = sumOfKnown(countries.flatMap(({ include }) => include.map(({ users }) => users)));
  const excluded = sumOfKnown(countries.flatMap(({ exclude }) => exclude.map(({ users }) => users)));
  const severalSources = countries.some(({ include }) => include.length > 1);
  const isExcluding = countries.some(({ exclude }) => exclude.length > 0);
  const largest = countries.reduce(
    (sum, { include }) => sum + Math.max(0, ...include.map(({ users }) => users ?? 0)),
    0,
  );
  if (!severalSources && !isExcluding) return [];
  return [
    { label: 'Included, estimated', value: knownText(included), kind: 'plain' },
    ...(severalSources
      ? [
          {
            label: 'in several sources',
            value: minus(included === null ? null : included - largest),
            kind: 'aside' as const,
          },
        ]
      : []),
    ...(isExcluding ? [{ label: 'excluded', value: minus(atMostOf(excluded, included)), kind: 'aside' as const }] : []),
  ];
}

/** Returns the users who receive the first step: the audience without its hold-out group. */
export function servedUsersOf(size: UserCount, holdOutPercent: number): UserCount {
  return partOfCount(size, 1 - holdOutPercent / 100);
}

export function heldOutUsersOf(size: UserCount, holdOutPercent: number): UserCount {
  return partOfCount(size, holdOutPercent / 100);
}

/** Returns a duration such as `34 min to 45 min`; `about 34 min` if both ends are equal. */
export function formatExpectedDuration(takes: CampaignPreview['takesSeconds']): string {
  if (takes === null) return 'Duration unknown: no earlier run to compare with';
  const least = formatDuration(takes.atLeast * 1000);
  if (takes.atMost === null) return `at least ${least}`;
  const most = formatDuration(takes.atMost * 1000);
  return least === most ? `about ${least}` : `${least} to ${most}`;
}

export interface SlowestShard {
  action: string;
  country: string;
  why: string;
}

const limitWords = {
  pace: 'by the pace',
  rate: 'by the rate of its action',
  shard: 'as fast as it is now',
  'earlier-run': 'as fast as in an earlier run',
} as const;

/** Returns the step and country that determine the duration. A step whose endpoint is down comes first. */
export function slowestShard(load: CampaignPreview['load']): SlowestShard | null {
  const down = load.find(({ breaker }) => breaker === 'open');
  if (down) return { action: down.action, country: down.country, why: 'its endpoint is down' };
  const known = load.filter(({ seconds }) => seconds !== null && seconds > 0);
  const [slowest] = known.toSorted((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0));
  if (!slowest?.limit) return null;
  const { action, country, limit } = slowest;
  return { action, country, why: limitWords[limit] };
}

/** Returns the upper bound of the calls of all steps; null if the number of users is unknown. */
export function callsOf(load: CampaignPreview['load']): number | null {
  return sumOfKnown(load.map(({ calls }) => calls));
}

/** Returns the batches of the first step, which are the batches of the run. */
export function batchesOf(load: CampaignPreview['load']): number | null {
  return sumOfKnown(load.filter(({ step }) => step === 1).map(({ calls }) => calls));
}

export interface BudgetNeed {
  country: string;
  needed: number | null;
  budget: number;
}

/** Returns the costs of all users of each country beside the budget of that country. */
export function budgetNeeds(
  load: CampaignPreview['load'],
  unitsPerUser: readonly (number | undefined)[],
  budgets: readonly { country: string; units?: number | undefined }[],
): BudgetNeed[] {
  return budgets.flatMap(({ country, units }) => {
    // Monetary budgets are omitted here, because they have a line of their own.
    if (units === undefined) return [];
    const costs = load
      .filter((line) => line.country === country)
      .map(({ step, users }) => (users === null ? null : users * (unitsPerUser[step - 1] ?? 0)));
    return [{ country, needed: sumOfKnown(costs), budget: units }];
  });
}

function sumOfKnown(counts: readonly (number | null)[]): number | null {
  return counts.reduce<number | null>((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}

function atMostOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.min(a, b);
}

function knownText(count: number | null): string {
  return count === null ? 'not known' : formatCount(count);
}

function minus(count: number | null): string {
  return count === null ? 'not known' : count === 0 ? '0' : `− up to ${formatCount(count)}`;
}
