import type { UserFilePreview } from '#client/types.gen.ts';
import { formatSentence } from '../words/figures.ts';
import { countOf, formatCount } from '../words/numbers.ts';
import { plainText } from '../words/plain-text.ts';

const separatorWords: Readonly<Record<string, string>> = {
  ',': 'separated by commas',
  ';': 'separated by semicolons',
  '\t': 'separated by tabs',
  '|': 'separated by |',
};

/** Describes the format of a file, such as `gzip, UTF-8, separated by semicolons.` */
export function describeFormat({ format, reading, columns, outcomes }: UserFilePreview): string {
  const { encoding, separator } = reading ?? { encoding: null, separator: null };
  const text = columns.length === 0 && outcomes.length > 0 ? 'Lines of JSON' : 'CSV';
  const parts = [
    format === 'gzip' ? `${text}, compressed with gzip` : text,
    ...(encoding === null ? [] : [encoding.toUpperCase()]),
    ...(separator === null ? [] : [separatorWords[separator] ?? separator]),
  ];
  return `${parts.join(', ')}.`;
}

/** Returns the names of ignored columns; empty until the column of user ids is known. */
export function formatIgnoredColumns({ columns, reading }: UserFilePreview): string {
  if (reading === null) return '';
  return columns.flatMap(({ name, use }) => (use === 'ignored' ? [name] : [])).join(', ');
}

/** Returns `1,010 lines = 1,000 with a user + 10 rejected.` Only the upload detects repeated users. */
export function formatPreviewEquation({ rows, users, rejected }: UserFilePreview): string {
  const parts = [`${formatCount(users)} with a user`, ...(rejected > 0 ? [`${formatCount(rejected)} rejected`] : [])];
  return `${countOf(rows, 'line')} = ${parts.join(' + ')}. Repeated users count each time.`;
}

/** Maximum number of countries that are named. */
const named = 6;

/** Returns `SG 800 · VN 200`; empty if users have no countries. */
export function formatPreviewCountries({ countries, usersElsewhere }: UserFilePreview): string {
  const rest = countries.slice(named).reduce((sum, { users }) => sum + users, usersElsewhere);
  const words = countries.slice(0, named).map(({ country, users }) => `${country} ${formatCount(users)}`);
  return [...words, ...(rest > 0 ? [`other countries ${formatCount(rest)}`] : [])].join(' · ');
}

/** Returns `Step 1: 11 succeeded, 1 failed · Step 2: 4 failed`; empty for a file that settles no user. */
export function formatOutcomesByStep({ outcomes }: UserFilePreview): string {
  const steps = [...new Set(outcomes.map(({ step }) => step))];
  const wordsOf = (wanted: number) =>
    outcomes.flatMap(({ step, outcome, users }) => (step === wanted ? [`${formatCount(users)} ${outcome}`] : []));
  return steps.map((step) => `Step ${step}: ${wordsOf(step).join(', ')}`).join(' · ');
}

/** Describes why an upload would be refused, and what to do; empty if it would be accepted. */
export function describeRefusal({ refusal, rows, rejected }: UserFilePreview): string {
  switch (refusal?.code) {
    case undefined:
      return '';
    case 'no-user-column':
      return 'The column of user ids was not detected: choose it.';
    case 'no-country-column':
      return 'The column of countries was not detected: choose it, or one country for all users.';
    case 'other-country':
      return 'The file contains other countries than the one chosen for all users: choose its column of countries.';
    case 'unknown-column':
      return 'The file has no column with the chosen name: choose another one.';
    case 'too-many-rejected':
      return `${formatCount(rejected)} of ${countOf(rows, 'line')} are rejected: correct the file, or skip them.`;
    default:
      return formatSentence(plainText(refusal?.detail ?? ''));
  }
}
