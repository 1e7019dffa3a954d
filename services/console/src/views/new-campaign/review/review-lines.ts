import type { CampaignDefinitionInput, CampaignPreview, Warning } from '#client/types.gen.ts';
import { capitalize } from '../../../parts/words/figures.ts';
import { formatCount, formatEstimate } from '../../../parts/words/numbers.ts';
import { formatDuration } from '../../../parts/times/times.ts';
import {
  batchesOf,
  budgetNeeds,
  callsOf,
  slowestShard,
  formatExpectedDuration,
} from '../../../parts/campaign/arithmetic.ts';
import { formatMoney } from '../../../parts/money/amounts.ts';
import { quotedTitleOf, titleOf } from '../../../parts/words/action-titles.ts';

export interface ReviewLine {
  name: string;
  text: string;
  isWarning?: boolean;
}

/** Returns the calls, batches and duration of the definition, line by line. */
export function describeLoad(preview: CampaignPreview, definition: CampaignDefinitionInput): ReviewLine[] {
  const { load, batchUsers, takesSeconds } = preview;
  if (batchUsers === null || load.length === 0) return [];
  const batches = batchesOf(load);
  const calls = callsOf(load);
  const slowest = slowestShard(load);
  return [
    { name: 'Batches', text: `${atMost(batches)} of at most ${formatCount(batchUsers)} users` },
    { name: 'Calls', text: atMost(calls) },
    ...budgetLines(preview, definition),
    ...costLines(preview),
    { name: 'Takes', text: formatExpectedDuration(takesSeconds) },
    ...(slowest
      ? [{ name: 'Slowest shard', text: `${titleOf(slowest.action)} in ${slowest.country}, ${slowest.why}` }]
      : []),
  ];
}

function costLines({ cost }: CampaignPreview): ReviewLine[] {
  if (!cost) return [];
  const { atLeast, atMost, currency } = cost;
  const text = ({ units, amount }: typeof atLeast) => formatMoney(amount, currency) ?? `${formatCount(units)} units`;
  const most = atMost === null ? ' or more' : atMost.units === atLeast.units ? '' : ` to ${text(atMost)}`;
  return [{ name: 'Costs', text: `${text(atLeast)}${most}` }];
}

function budgetLines({ load }: CampaignPreview, { chain, budgets = [] }: CampaignDefinitionInput): ReviewLine[] {
  const costs = chain.map(({ unitsPerUser }) => unitsPerUser);
  return budgetNeeds(load, costs, budgets).map(({ country, needed, budget }) => ({
    name: `Budget ${country}`,
    text: `${needed === null ? 'not known' : `up to ${formatEstimate(needed)}`} of ${formatEstimate(budget)}`,
    isWarning: needed !== null && needed > budget,
  }));
}

/**
 * Returns true for a warning about an uncertain size. It is shown in the review and before the start, not at a field.
 */
export function isSizeWarning({ code }: Pick<Warning, 'code'>): boolean {
  return code === 'may-be-few';
}

/** Returns warnings that do not prevent a start. The API's own warnings come first. */
export function describeWarnings(preview: CampaignPreview, definition: CampaignDefinitionInput): string[] {
  const { load, takesSeconds } = preview;
  const costs = definition.chain.map(({ unitsPerUser }) => unitsPerUser);
  const short = budgetNeeds(load, costs, definition.budgets ?? []).filter(
    ({ needed, budget }) => needed !== null && needed > budget,
  );
  const down = load
    .filter(({ breaker }) => breaker === 'open')
    .map(({ action, country }) => `${quotedTitleOf(action)} in ${country}`);
  const deadline = definition.deadlineSeconds ?? 86_400;
  return [
    ...preview.warnings.filter(isSizeWarning).map(({ detail }) => `${capitalize(detail)}.`),
    ...short.map(
      ({ country, needed, budget }) =>
        `The budget of ${country} may be too small: all its users would need ${formatCount(needed ?? 0)} units, and ${formatCount(budget)} are available. The run pauses when it is used up.`,
    ),
    ...(takesSeconds !== null && takesSeconds.atLeast > deadline
      ? [
          `The run needs at least ${formatDuration(takesSeconds.atLeast * 1000)}, but its deadline is ${formatDuration(deadline * 1000)} after the start. Remaining users expire.`,
        ]
      : []),
    ...[...new Set(down)].map(
      (shard) => `The endpoint of ${shard} counts as down: batches wait until it answers again.`,
    ),
  ];
}

function atMost(count: number | null): string {
  return count === null ? 'not known' : `at most ${formatCount(count)}`;
}
