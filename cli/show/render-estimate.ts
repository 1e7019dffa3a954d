import type { CampaignEstimate, CampaignPreview } from '../../sdk/generated/types.gen.ts';
import type { View } from './paint.ts';
import { count, duration } from './numbers.ts';
import { left, renderItems, right } from './tables.ts';
import { oneLine } from './text.ts';
import { entryText } from './sources.ts';

export function renderEstimate(
  estimate: Pick<CampaignEstimate, 'countries' | 'users' | 'holdOutPercent' | 'warnings' | 'cost'> &
    Partial<Pick<CampaignEstimate, 'variants'>>,
  { paint }: View,
): string {
  const { countries, users: all, holdOutPercent, variants, warnings, cost } = estimate;
  const usersText = (users: number | null) => (users === null ? 'not known' : count(users));
  const rows = countries.flatMap(({ country, include, exclude, users }) => [
    ...include.map(({ source, users: of }) => ({ country, who: entryText(source), users: usersText(of), sum: false })),
    ...exclude.map(({ source, users: of }) => {
      return { country, who: `without ${entryText(source)}`, users: usersText(of), sum: false };
    }),
    { country, who: 'audience', users: rangeText(users), sum: true },
  ]);
  if (countries.length > 1) rows.push({ country: 'all', who: 'audience', users: rangeText(all), sum: true });
  const tone = { tone: ({ sum }: { sum: boolean }) => (sum ? ('strong' as const) : undefined) };
  const columns = [
    left<(typeof rows)[number]>('country', ({ country }) => country, tone),
    left<(typeof rows)[number]>('who', ({ who }) => who, tone),
    right<(typeof rows)[number]>('users', ({ users }) => users, tone),
  ];
  const held = holdOutPercent === 0 ? '' : `  of these, about ${holdOutPercent} % get nothing: they are held out\n`;
  const warned = warnings.map(({ detail }) => `  ${paint.accent('!')} ${oneLine(detail)}\n`);
  return `${renderItems(rows, columns, { paint, width: Infinity })}${held}${variantsText(variants)}${costText(cost)}${warned.join('')}`;
}

/** Renders the expected users of each variant, held-out users included. */
function variantsText(variants: CampaignEstimate['variants'] = []): string {
  const each = variants.map((variant) => `${oneLine(nameWithShare(variant))}, about ${rangeText(variant.users)}`);
  return each.length === 0 ? '' : `  variants: ${each.join(' · ')}\n`;
}

/** Formats `A 50 %`, or only the name without a weight. */
export function nameWithShare({ name, weight }: { name: string; weight?: number | undefined }): string {
  return weight === undefined ? name : `${name} ${weight / 100} %`;
}

function costText(cost: CampaignEstimate['cost']): string {
  if (!cost) return '';
  const { atLeast, atMost, currency } = cost;
  const text = (of: typeof atLeast) => `${count(of.units)} units${moneyText(of.amount, currency)}`;
  return `  costs ${text(atLeast)}${atMost === null ? ' or more' : atMost.units === atLeast.units ? '' : ` to ${text(atMost)}`}\n`;
}

/** Formats `, SGD 61.70`; empty without a price. */
export function moneyText(amount: string | null, currency: string | null): string {
  return amount === null ? '' : `, ${currency === null ? '' : `${currency} `}${amount}`;
}

/**
 * Renders an estimate, its duration and its problems.
 * @param labelOf returns the option or field of a problem's pointer
 */
export function renderPreview(preview: CampaignPreview, labelOf: (pointer: string) => string, view: View): string {
  const { problems, takesSeconds: takes, countries } = preview;
  const wrong = problems.map(
    ({ pointer, detail }) => `  ${view.paint.accent('x')} ${labelOf(pointer)} ${oneLine(detail)}\n`,
  );
  const time = takes === null ? '' : `  ${takesText(takes)}\n`;
  return `${countries.length === 0 ? '' : renderEstimate(preview, view)}${time}${wrong.join('')}`;
}

export function takesText({ atLeast, atMost }: { atLeast: number; atMost: number | null }): string {
  const most = atMost === null ? ' or more' : ` to ${duration(atMost)}`;
  return `takes about ${duration(atLeast)}${atMost === atLeast ? '' : most}`;
}

export function sumOfBounds(bounds: readonly CampaignEstimate['users'][]): CampaignEstimate['users'] {
  return bounds.reduce(
    (sum, { atLeast, atMost }) => ({
      atLeast: sum.atLeast + atLeast,
      atMost: sum.atMost === null || atMost === null ? null : sum.atMost + atMost,
    }),
    { atLeast: 0, atMost: 0 },
  );
}

/** Formats `4 to 125,004` or `3,500 or more`. */
export function rangeText({ atLeast, atMost }: CampaignEstimate['users']): string {
  if (atLeast === atMost) return count(atLeast);
  return atMost === null ? `${count(atLeast)} or more` : `${count(atLeast)} to ${count(atMost)}`;
}
