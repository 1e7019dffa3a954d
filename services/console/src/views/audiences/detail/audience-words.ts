import type { UploadedAudience, RejectedRow } from '#client/types.gen.ts';
import { ruleWords } from '../../../parts/audience/reject-words.ts';
import { countOf, formatCount } from '../../../parts/words/numbers.ts';

const maxCountries = 6;

/** Returns the users by country: `ID 371,204 · VN 266,446`. */
export function formatByCountry({ countries }: Pick<UploadedAudience, 'countries'>): string {
  const most = countries.toSorted((a, b) => b.users - a.users);
  const words = most.slice(0, maxCountries).map(({ country, users }) => `${country} ${formatCount(users)}`);
  return [...words, ...(most.length > maxCountries ? [`${most.length - maxCountries} more countries`] : [])].join(
    ' · ',
  );
}

export function formatFileEquation({ rows, users, duplicates, rejected }: UploadedAudience): string {
  const parts = [
    countOf(users, 'user'),
    ...(duplicates > 0 ? [`${formatCount(duplicates)} repeated`] : []),
    ...(rejected > 0 ? [`${formatCount(rejected)} rejected`] : []),
  ];
  return `${countOf(rows, 'line')} = ${parts.join(' + ')}.`;
}

export interface RejectGroup {
  rule: RejectedRow['rule'];
  words: string;
  first: RejectedRow;
  lines: number;
}

/** Groups rejected lines by reason, the most frequent first. */
export function groupRejects(rejects: readonly RejectedRow[]): RejectGroup[] {
  const groups = new Map<RejectedRow['rule'], RejectGroup>();
  for (const row of rejects) {
    const group = groups.get(row.rule);
    if (group) group.lines++;
    else groups.set(row.rule, { rule: row.rule, words: ruleWords[row.rule], first: row, lines: 1 });
  }
  return [...groups.values()].sort((a, b) => b.lines - a.lines);
}

/** Shortens a file name in the middle, because names differ at both ends: `hcmc-airport…11-18.csv`. */
export function truncateMiddle(name: string, most = 28): string {
  const letters = Array.from(name);
  if (letters.length <= most || !/\.(csv|txt)(\.gz)?$/.test(name)) return name;
  const tail = most < 28 ? 9 : 13;
  return `${letters.slice(0, most - tail - 1).join('')}…${letters.slice(-tail).join('')}`;
}
