import type { RejectedRow, UploadedAudience } from '../../shared/contracts/campaigns/audiences.ts';
import type { CampaignEstimate } from '../../shared/contracts/campaigns/estimates.ts';
import type { CampaignPreview } from '../api/api-answers.ts';
import { count, duration } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { entryText } from '../campaigns/sources.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });

export function renderAudiences(lists: readonly UploadedAudience[], paint: Paint, width = Infinity): string {
  const columns: Column[] = [
    left('id'),
    { ...left('name'), cut: true },
    left('state'),
    { ...left('countries'), cut: true },
    right('users'),
    right('rejected'),
    left('uploaded'),
  ];
  const rows = lists.map(({ id, name, state, countries, users, rejected, createdAt }) => [
    id,
    oneLine(name),
    state,
    countries.map(({ country }) => oneLine(country)).join(' '),
    count(users),
    count(rejected),
    utcTime(createdAt),
  ]);
  return renderTable(columns, rows, paint, width);
}

export function renderAudience(list: UploadedAudience, paint: Paint): string {
  const { id, name, state, cause, rows, duplicates, rejected, users, countries, createdAt } = list;
  const why = cause === null ? '' : `: ${oneLine(cause)}`;
  const lines: [string, string][] = [
    ['users', [count(users), ...countries.map((each) => `${oneLine(each.country)} ${count(each.users)}`)].join('  ')],
    ['rows', `${count(rows)}, of them ${count(duplicates)} repeats and ${count(rejected)} that are no user`],
    ['uploaded', utcTime(createdAt)],
  ];
  const parts = lines.map(([title, text]) => `  ${paint.faint(title.padEnd(8))}  ${text}\n`);
  return `  ${paint.strong(oneLine(name))}\n  ${paint.faint(`${id} · ${state}${why}`)}\n\n${parts.join('')}`;
}

export function renderRejects(rejects: readonly RejectedRow[], paint: Paint, width = Infinity): string {
  const columns: Column[] = [right('line'), left('rule'), { ...left('value'), cut: true }];
  const rows = rejects.map(({ line, rule, value }) => [count(line), rule.replaceAll('-', ' '), oneLine(value)]);
  return renderTable(columns, rows, paint, width);
}

/** A line for each source in each country, and one for what follows. */
export function renderEstimate(
  { countries, holdOutPercent, warnings }: Omit<CampaignEstimate, 'campaignId' | 'asOf'>,
  paint: Paint,
): string {
  const columns: Column[] = [left('country'), left('who'), right('users')];
  const usersText = (users: number | null) => (users === null ? 'not known' : count(users));
  const rows = countries.flatMap(({ country, include, exclude, users }) => [
    ...include.map(({ source, users: of }) => [oneLine(country), entryText(source), usersText(of)]),
    ...exclude.map(({ source, users: of }) => [oneLine(country), `without ${entryText(source)}`, usersText(of)]),
    [oneLine(country), 'audience', rangeText(users)].map((cell) => paint.strong(cell)),
  ]);
  const held = holdOutPercent === 0 ? '' : `  of these, about ${holdOutPercent} % get nothing: they are held out\n`;
  const told = warnings.map(({ detail }) => `  ${paint.accent('!')} ${oneLine(detail)}\n`);
  return `${renderTable(columns, rows, paint)}${held}${told.join('')}`;
}

/** An estimate, how long it takes, and what is wrong. @param labelOf where a problem was said */
export function renderPreview(preview: CampaignPreview, labelOf: (pointer: string) => string, paint: Paint): string {
  const { problems, takesSeconds: takes, countries } = preview;
  const wrong = problems.map(
    ({ pointer, detail }) => `  ${paint.accent('x')} ${labelOf(pointer)} ${oneLine(detail)}\n`,
  );
  const least = takes === null ? '' : duration(takes.atLeast);
  const most = takes?.atMost === null ? 'or more' : `to ${duration(takes?.atMost ?? 0)}`;
  const time = takes === null ? '' : `  takes about ${least}${takes.atMost === takes.atLeast ? '' : ` ${most}`}\n`;
  return `${countries.length === 0 ? '' : renderEstimate(preview, paint)}${time}${wrong.join('')}`;
}

function rangeText({ atLeast, atMost }: CampaignEstimate['countries'][number]['users']): string {
  if (atLeast === atMost) return count(atLeast);
  return atMost === null ? `${count(atLeast)} or more` : `${count(atLeast)} to ${count(atMost)}`;
}
