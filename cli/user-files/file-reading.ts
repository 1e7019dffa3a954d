import type { FileReading } from '../../sdk/generated/types.gen.ts';
import { fieldLabel } from '../frame/command-table.ts';
import { oneOf, text, whole } from '../frame/options.ts';
import { count } from '../show/numbers.ts';

export const columnOptions = {
  user: text('--user-column <name>', 'column of user ids, if it has no common name; with --header none its number'),
  header: oneOf('--header <header>', 'none: the file has no header', ['none']),
};

export const fileOptions = {
  ...columnOptions,
  acceptRejected: whole(
    '--accept-rejected <n>',
    'accepted number of rejected rows; required if they are more than 5 % of the file',
  ),
};

export function fileLabel(pointer: string): string {
  return pointer === '/acceptRejected' ? '--accept-rejected' : fieldLabel(pointer);
}

const separatorNames: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': '|' };

export function separatorName(separator: string): string {
  return separatorNames[separator] ?? separator;
}

/** Describes how a file was parsed; empty for a list that existed before. */
export function readingNotes(reading: FileReading | null): string[] {
  if (!reading) return [];
  const { columns, userColumn, countryColumn, separator, encoding, trimmed, warnings } = reading;
  const read = [userColumn, countryColumn].filter((name) => name !== null);
  const ignored = columns.filter((name) => !read.includes(name));
  const parts = [
    userColumn === null ? 'no header' : `users from the column ${userColumn}`,
    ...(countryColumn === null ? [] : [`countries from ${countryColumn}`]),
    ...(ignored.length === 0 ? [] : [`ignored: ${ignored.join(', ')}`]),
    ...(separator === null ? [] : [`separator: ${separatorName(separator)}`]),
    ...(encoding === 'utf-8' ? [] : [encoding.toUpperCase()]),
    ...(trimmed === 0 ? [] : [`blanks at the edges of ${count(trimmed)} ids removed`]),
  ];
  return [parts.join(' · '), ...warnings.map(({ detail }) => `warning: ${detail}`)];
}
