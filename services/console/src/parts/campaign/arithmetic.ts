import type { CampaignPreview } from '#client/types.gen.ts';
import { formatCount } from '../words/numbers.ts';
import { formatDuration } from '../times/times.ts';

/** Between the least and the most there can be; null: nobody knows the most. */
export interface Bounds {
  atLeast: number;
  atMost: number | null;
}

export interface SumLine {
  label: string;
  value: string;
  kind: 'plain' | 'sum' | 'aside';
}

type Previewed = Pick<CampaignPreview, 'countries' | 'holdOutPercent'>;

/**
 * How the audience comes about, as lines that add up; what only a run can know, because it merges the sources, is said
 * as a range.
 */
export function audienceSums({ countries, holdOutPercent }: Previewed): SumLine[] {
  const included = sumOfKnown(countries.flatMap(({ include }) => include.map(({ users }) => users)));
  const excluded = sumOfKnown(countries.flatMap(({ exclude }) => exclude.map(({ users }) => users)));
  const severalSources = countries.some(({ include }) => include.length > 1);
  const isExcluding = countries.some(({ exclude }) => exclude.length > 0);
  const audience = audienceBounds({ countries });
  const largest = countries.reduce(
    (sum, { include }) => sum + Math.max(0, ...include.map(({ users }) => users ?? 0)),
    0,
  );
  const lines: SumLine[] = [
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
    ...(isExcluding ? [{ label: 'left out', value: minus(atMostOf(excluded, included)), kind: 'aside' as const }] : []),
    { label: 'Audience', value: boundsText(audience), kind: 'sum' },
  ];
  if (holdOutPercent === 0) return lines;
  const held = heldOutBounds({ countries, holdOutPercent });
  return [
    ...lines,
    { label: `held out, about ${holdOutPercent} %`, value: boundsText(held), kind: 'aside' },
    {
      label: 'Get step 1',
      value: boundsText(servedBounds({ countries, holdOutPercent })),
      kind: 'sum',
    },
  ];
}

export function audienceBounds({ countries }: { countries: readonly { users: Bounds }[] }): Bounds {
  return countries.reduce<Bounds>(
    (sum, { users }) => ({
      atLeast: sum.atLeast + users.atLeast,
      atMost: sum.atMost === null || users.atMost === null ? null : sum.atMost + users.atMost,
    }),
    { atLeast: 0, atMost: 0 },
  );
}

/** Who gets the first step: the audience without whoever is held out. */
export function servedBounds(preview: Previewed): Bounds {
  return scaled(audienceBounds(preview), 1 - preview.holdOutPercent / 100);
}

/** Who gets nothing, for comparison. */
export function heldOutBounds(preview: Previewed): Bounds {
  return scaled(audienceBounds(preview), preview.holdOutPercent / 100);
}

function scaled({ atLeast, atMost }: Bounds, share: number): Bounds {
  return { atLeast: Math.round(atLeast * share), atMost: atMost === null ? null : Math.round(atMost * share) };
}

/** `1,440,200`, `4 to 125,004`, `at least 500`. */
export function boundsText({ atLeast, atMost }: Bounds): string {
  if (atMost === null) return atLeast === 0 ? 'not known' : `at least ${formatCount(atLeast)}`;
  if (atLeast === atMost) return formatCount(atMost);
  return `${formatCount(atLeast)} to ${formatCount(atMost)}`;
}

/** `34 to 45 min`-like: both ends where they differ. */
export function takesText(takes: CampaignPreview['takesSeconds']): string {
  if (takes === null) return 'nothing says how fast it goes';
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

/** The step and country that decide how long it takes; the first of those that are down, where one is. */
export function slowestShard(load: CampaignPreview['load']): SlowestShard | null {
  const down = load.find(({ breaker }) => breaker === 'open');
  if (down) return { action: down.action, country: down.country, why: 'its endpoint counts as down' };
  const known = load.filter(({ seconds }) => seconds !== null && seconds > 0);
  const [slowest] = known.toSorted((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0));
  if (!slowest?.limit) return null;
  const { action, country, limit } = slowest;
  return { action, country, why: limitWords[limit] };
}

/** Calls of all steps, at most; null where nobody knows how many users there are. */
export function callsOf(load: CampaignPreview['load']): number | null {
  return sumOfKnown(load.map(({ calls }) => calls));
}

/** Batches of the first step, which are those of the run. */
export function batchesOf(load: CampaignPreview['load']): number | null {
  return sumOfKnown(load.filter(({ step }) => step === 1).map(({ calls }) => calls));
}

export interface BudgetNeed {
  country: string;
  needed: number | null;
  budget: number;
}

/** What all users of a country would cost, beside what may be spent there. */
export function budgetNeeds(
  load: CampaignPreview['load'],
  unitsPerUser: readonly (number | undefined)[],
  budgets: readonly { country: string; units?: number | undefined }[],
): BudgetNeed[] {
  return budgets.flatMap(({ country, units }) => {
    // What it comes to in money is a line of its own.
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

/** `SGD 61.70`; null where nothing has a price. */
export function moneyText(amount: string | null, currency: string | null): string | null {
  return amount === null ? null : [currency ?? '', amount].join(' ').trim();
}
