import { quoted, type HttpProblem } from '../frame/http-problem.ts';
import { countryColumnOf, isUserName, looksLikeId, namedColumn, userColumnOf, wordOf } from './column-names.ts';
import { countryCodeOf } from './country-names.ts';
import type { Separator } from './csv-rows.ts';
import { fileProblem } from './file-problems.ts';
import {
  fieldsIn,
  headLinesOf,
  rowSeparatorOf,
  separatorWhere,
  requireSameSeparator,
  type HeadLines,
} from './separator.ts';

/** Columns that the caller chooses, for files with uncommon names of columns. */
export interface ColumnChoice {
  /**
   * Name of the column of user ids. In a file without a header, the number of the column; the first column has number
   * 1.
   */
  user?: string | undefined;
  country?: string | undefined;
  /** `none` means that the first line is a row and not a header. */
  header?: 'none' | undefined;
}

export interface FileColumns {
  separator: Separator;
  skippedLines: number;
  /** Names of all columns; empty for a file without a header. */
  names: readonly string[];
  id: number;
  /** Index of the column of countries; -1 if there is none. */
  country: number;
  count: number;
}

export interface ColumnTerms {
  choice: ColumnChoice;
  /**
   * Use of countries.
   * - `column`: each row must contain a country.
   * - `ignored`: the users have no country.
   * - `optional`: without a column of countries, the request states the country of all rows.
   */
  countries: 'column' | 'optional' | 'ignored';
}

/**
 * Finds the columns of a file by its first lines, before any row is stored.
 * @param lines lines of the first 64 KiB
 * @throws {HttpProblem} 422 if no column is known to contain user ids or, if required, countries
 */
export function columnsOf(lines: readonly string[], terms: ColumnTerms): FileColumns {
  const head = headLinesOf(lines);
  requireEncoded(head);
  const found = head.first === undefined ? emptyFile(head) : foundIn(head, head.first, terms);
  const columns = terms.countries === 'ignored' ? { ...found, country: -1 } : found;
  if (terms.countries === 'column' && columns.country < 0 && head.first !== undefined) throw noCountryColumn(columns);
  return columns;
}

/**
 * Refuses a file whose first line is not UTF-8, because the names in it cannot be compared. Later rows that are not
 * UTF-8 are rejected one by one.
 * @throws {HttpProblem} 422
 */
export function requireEncoded({ first }: HeadLines): void {
  if (first?.includes('\ufffd') !== true) return;
  const detail = `the first line is not UTF-8 (${quoted(first)}), and no byte order mark names another encoding; save the file as "CSV UTF-8"`;
  throw fileProblem('unreadable-file', detail);
}

function emptyFile({ named, skippedLines }: HeadLines): FileColumns {
  return { separator: named ?? ',', skippedLines, names: [], id: 0, country: -1, count: 1 };
}

function foundIn(head: HeadLines, first: string, { choice, countries }: ColumnTerms): FileColumns {
  if (choice.header === 'none') return withoutHeader(head, first, choice);
  const separator = separatorOf(head, first, choice);
  const names = fieldsIn(first, separator).map((name) => name.trim());
  if (choice.user === undefined && userColumnOf(names) < 0)
    return guessed(head, { names, separator }, { choice, countries });
  requireSameSeparator(head, { separator, count: names.length });
  const id = choice.user === undefined ? userColumnOf(names) : chosen(choice.user, names, 'user');
  const country = choice.country === undefined ? countryColumnOf(names) : chosen(choice.country, names, 'country');
  for (const place of [id, country]) requireOnce(names, place);
  return { separator, skippedLines: head.skippedLines + 1, names, id, country, count: names.length };
}

function separatorOf(head: HeadLines, first: string, choice: ColumnChoice): Separator {
  const isUser = (name: string) =>
    choice.user === undefined ? isUserName(name) : wordOf(name) === wordOf(choice.user);
  return head.named ?? separatorWhere(first, isUser) ?? rowSeparatorOf(head.rows);
}

/**
 * Returns the fields of the first line. After `columnsOf` has refused a file, a person can choose from them. They are
 * names of columns unless the caller states that there is no header.
 */
export function firstFieldsOf(lines: readonly string[], choice: ColumnChoice): readonly string[] {
  const head = headLinesOf(lines);
  const { first } = head;
  if (first === undefined) return [];
  const separator =
    choice.header === 'none' ? (head.named ?? rowSeparatorOf(head.rows)) : separatorOf(head, first, choice);
  return fieldsIn(first, separator).map((name) => name.trim());
}

function chosen(name: string, names: readonly string[], parameter: 'user' | 'country'): number {
  const found = namedColumn(name, names);
  if (found >= 0) return found;
  const advice = parameter === 'country' ? '; a country for all rows is a code in capitals, such as SG' : '';
  const detail = `${parameter} names the column ${quoted(name)}, and the file has ${listed(names)}${advice}`;
  throw fileProblem('unknown-column', detail);
}

function requireOnce(names: readonly string[], place: number): void {
  const name = names[place];
  if (name === undefined || names.filter((other) => wordOf(other) === wordOf(name)).length === 1) return;
  const detail = `the file has several columns named ${quoted(name)}; rename all of them but one`;
  throw fileProblem('repeated-column', detail);
}

/** Returns the columns of a file without a header, as the caller has stated them by their numbers. */
function withoutHeader(head: HeadLines, first: string, choice: ColumnChoice): FileColumns {
  const separator = head.named ?? rowSeparatorOf(head.rows);
  const count = fieldsIn(first, separator).length;
  requireSameSeparator(head, { separator, count });
  const place = (name: string | undefined, otherwise: number) => {
    if (name === undefined) return otherwise;
    const number = Number(name);
    if (Number.isInteger(number) && number >= 1 && number <= count) return number - 1;
    const detail = `without a header, a column is a number from 1 to ${count}, and not ${quoted(name)}`;
    throw fileProblem('unknown-column', detail);
  };
  const id = place(choice.user, 0);
  const country = place(choice.country, count === 2 && id === 0 ? 1 : -1);
  return { separator, skippedLines: head.skippedLines, names: [], id, country, count };
}

/** Returns the columns of a file whose first line has no names of columns: only ids, or ids and countries. */
function guessed(
  head: HeadLines,
  { names, separator }: { names: readonly string[]; separator: Separator },
  { choice, countries }: ColumnTerms,
): FileColumns {
  const [user = '', country = ''] = names;
  if (choice.country !== undefined) {
    const detail = `country names the column ${quoted(choice.country)}, and the first line names no column of user ids; it has ${listed(names)}`;
    throw fileProblem(
      'unknown-column',
      `${detail}. Send the name of that column as user=, or a code such as country=SG`,
    );
  }
  const alone = { separator, skippedLines: head.skippedLines, names: [], id: 0, country: -1, count: 1 };
  if (names.length === 1 && looksLikeId(user)) {
    requireSameSeparator(head, { separator, count: 1 });
    return alone;
  }
  if (countries !== 'ignored' && names.length === 2 && looksLikeId(user) && countryCodeOf(country) !== null) {
    return { ...alone, country: 1, count: 2 };
  }
  // The character `|` is not a separator here, because ids of some sign-in services contain it, such as auth0|6b1f.
  if (separator === '|' && names.length === 2 && looksLikeId(names.join(''))) return { ...alone, separator: ',' };
  const detail =
    `the first line names no column of user ids; it has ${listed(names)}. Name the column "userId", or send its name as user=, ` +
    'or header=none if the first line is a user already';
  throw fileProblem('no-user-column', detail);
}

function noCountryColumn({ names }: FileColumns): HttpProblem {
  const found =
    names.length === 0
      ? 'the file has no column of countries'
      : `no column is named country; the file has ${listed(names)}`;
  const detail = `${found}. Send a code such as country=SG for all its users, or the name of the column as country=`;
  return fileProblem('no-country-column', detail);
}

const maxListed = 20;

function listed(names: readonly string[]): string {
  const firstNames = names.slice(0, maxListed).map((name) => quoted(name));
  const more = names.length > firstNames.length ? ` and ${names.length - firstNames.length} more` : '';
  return `${names.length === 1 ? 'the column' : 'the columns'} ${firstNames.join(', ')}${more}`;
}
