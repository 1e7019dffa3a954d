import type { CampaignEstimate, CampaignPreview } from '../../sdk/generated/types.gen.ts';
import type { View } from '../frame/command-table.ts';
import { count, duration } from '../show/numbers.ts';
import { left, renderItems, right } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { entryText } from './sources.ts';

/** A line for each source in each country, and one for what follows. */
export function renderEstimate(
  { countries, holdOutPercent, warnings }: Pick<CampaignEstimate, 'countries' | 'holdOutPercent' | 'warnings'>,
  { paint }: View,
): string {
  const usersText = (users: number | null) => (users === null ? 'not known' : count(users));
  const rows = countries.flatMap(({ country, include, exclude, users }) => [
    ...include.map(({ source, users: of }) => ({ country, who: entryText(source), users: usersText(of), sum: false })),
    ...exclude.map(({ source, users: of }) => {
      return { country, who: `without ${entryText(source)}`, users: usersText(of), sum: false };
    }),
    { country, who: 'audience', users: rangeText(users), sum: true },
  ]);
  const tone = { tone: ({ sum }: { sum: boolean }) => (sum ? ('strong' as const) : undefined) };
  const columns = [
    left<(typeof rows)[number]>('country', ({ country }) => country, tone),
    left<(typeof rows)[number]>('who', ({ who }) => who, tone),
    right<(typeof rows)[number]>('users', ({ users }) => users, tone),
  ];
  const held = holdOutPercent === 0 ? '' : `  of these, about ${holdOutPercent} % get nothing: they are held out\n`;
  const warned = warnings.map(({ detail }) => `  ${paint.accent('!')} ${oneLine(detail)}\n`);
  return `${renderItems(rows, columns, { paint, width: Infinity })}${held}${warned.join('')}`;
}

/** An estimate, how long it takes, and what is wrong. @param labelOf where a problem was said */
export function renderPreview(preview: CampaignPreview, labelOf: (pointer: string) => string, view: View): string {
  const { problems, takesSeconds: takes, countries } = preview;
  const wrong = problems.map(
    ({ pointer, detail }) => `  ${view.paint.accent('x')} ${labelOf(pointer)} ${oneLine(detail)}\n`,
  );
  const least = takes === null ? '' : duration(takes.atLeast);
  const most = takes?.atMost === null ? 'or more' : `to ${duration(takes?.atMost ?? 0)}`;
  const time = takes === null ? '' : `  takes about ${least}${takes.atMost === takes.atLeast ? '' : ` ${most}`}\n`;
  return `${countries.length === 0 ? '' : renderEstimate(preview, view)}${time}${wrong.join('')}`;
}

function rangeText({ atLeast, atMost }: CampaignEstimate['countries'][number]['users']): string {
  if (atLeast === atMost) return count(atLeast);
  return atMost === null ? `${count(atLeast)} or more` : `${count(atLeast)} to ${count(atMost)}`;
}
