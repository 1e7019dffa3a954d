import type { RejectRule } from '../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { quoted, type HttpProblem } from '../frame/http-problem.ts';
import { countryCodeOf } from './country-names.ts';
import { fieldsOf, hasOddQuotes } from './csv-rows.ts';
import type { FileColumns } from './file-columns.ts';
import { fileProblem } from './file-problems.ts';
import { isRounded, mayHaveEdges, ruleOfPlaceholder, withoutEdges } from './user-cells.ts';

/** Maximum number of bytes of a line, and of characters of a row of several lines. */
export const maxLineBytes = 64 * 1024;
/** Maximum number of texts of countries whose codes are cached. */
const maxPlaces = 1000;

export interface RowTerms {
  columns: FileColumns;
  /** Country of all rows; null if each row contains its country. */
  country: string | null;
  /** Configured countries that the caller may use. */
  countries: Pick<ReadonlySet<string>, 'has'>;
}

export interface RowSink {
  onUser(user: string, country: string, line: number): void;
  onReject(line: number, value: string, rule: RejectRule): void;
}

export interface RowCounts {
  rows: number;
  /** Number of user ids from which surrounding blanks were removed. */
  trimmed: number;
  /** Number of user ids with surrounding blanks in a file without a header, in which blanks are kept. */
  padded: number;
  /** Number of user ids that Excel has rounded. */
  rounded: number;
}

export interface RowReader {
  readonly counts: Readonly<RowCounts>;
  /**
   * Reads a line.
   * @param at number of the line; the first line has number 1
   */
  takeLine(line: string, at: number): void;
  rejectLine(beginning: string, at: number, rule: RejectRule): void;
  /** Ends a row whose quotes are not closed. */
  end(): void;
}

/** Creates the reader of users from lines. The lines of a quoted field are one row. */
export function createRowReader({ columns, country, countries }: RowTerms, sink: RowSink): RowReader {
  const { id: idAt, country: countryAt, separator, names, count } = columns;
  const header = names[idAt];
  const places = new Map<string, string | null>();
  const counts: RowCounts = { rows: 0, trimmed: 0, padded: 0, rounded: 0 };
  /** Lines of a row whose quoted field is not closed so far. */
  let open: { lines: string[]; at: number; length: number } | null = null;
  /**
   * True while it is unclear whether lines belong to a quoted field that is too long or follow a quote that is never
   * closed.
   */
  let isUnclear = false;

  function codeOf(place: string): string | null {
    if (countries.has(place)) return place;
    const known = places.get(place);
    if (known !== undefined) return known;
    const code = countryCodeOf(place);
    if (places.size < maxPlaces) places.set(place, code);
    return code;
  }

  function takeLine(line: string, at: number): void {
    if (open) {
      open.lines.push(line);
      open.length += line.length + 1;
      if (hasOddQuotes(line) || open.length > maxLineBytes) closeRow();
      return;
    }
    if (line === '') return;
    if (isUnclear) {
      isUnclear = !hasOddQuotes(line);
      takeWholeRow(line, at);
      return;
    }
    const fields = fieldsOf(line, separator);
    if (fields === 'open' && count > 1) open = { lines: [line], at, length: line.length };
    else takeRow(fields, line, at);
  }

  /**
   * Ends a row whose quoted field is not closed. The quote may be an error, so each collected line that has all columns
   * is read as a row.
   */
  function closeRow(): void {
    if (!open) return;
    const { lines, at, length } = open;
    open = null;
    const row = lines.join('\n');
    const fields = length > maxLineBytes ? null : fieldsOf(row, separator);
    if (Array.isArray(fields)) {
      takeRow(fields, row, at);
      return;
    }
    isUnclear = length > maxLineBytes;
    for (const [index, line] of lines.entries()) if (line !== '') takeWholeRow(line, at + index);
  }

  function takeWholeRow(line: string, at: number): void {
    const fields = fieldsOf(line, separator);
    takeRow(Array.isArray(fields) && fields.length === count ? fields : null, line, at);
  }

  function takeRow(fields: string[] | 'open' | null, row: string, at: number): void {
    counts.rows++;
    const read = userIn(fields, at);
    if ('rule' in read) sink.onReject(at, row, read.rule);
    else {
      if (isRounded(read.user)) counts.rounded++;
      sink.onUser(read.user, read.code, at);
    }
  }

  function userIn(fields: string[] | 'open' | null, at: number): { user: string; code: string } | { rule: RejectRule } {
    if (!Array.isArray(fields)) return { rule: 'malformed-row' };
    const isLonger = fields.length > count && fields.slice(count).some((field) => field !== '');
    if (isLonger) return { rule: 'too-many-columns' };
    const user = idOf(fields[idAt]);
    if (user === undefined) return { rule: 'malformed-row' };
    const mark = ruleOfPlaceholder(user, header);
    if (mark !== null) return { rule: mark };
    const place = countryAt < 0 ? '' : (fields[countryAt]?.trim() ?? '');
    let code = country;
    if (place !== '') {
      code = codeOf(place);
      if (country !== null && code !== country) throw otherCountry(at, place, { country, column: names[countryAt] });
      if (code === null || !countries.has(code)) return { rule: 'unknown-country' };
    }
    return code === null ? { rule: 'missing-country' } : { user, code };
  }

  /** Returns the id without surrounding blanks if the file has a header, which shows that the file is a table. */
  function idOf(field: string | undefined): string | undefined {
    if (field === undefined || !mayHaveEdges(field)) return field;
    const bare = withoutEdges(field);
    if (bare === field) return field;
    if (header === undefined) counts.padded++;
    else counts.trimmed++;
    return header === undefined ? field : bare;
  }

  return {
    counts,
    takeLine,
    rejectLine: (beginning, at, rule) => {
      closeRow();
      counts.rows++;
      sink.onReject(at, beginning, rule);
    },
    end: closeRow,
  };
}

function otherCountry(
  line: number,
  place: string,
  { country, column }: { country: string; column: string | undefined },
): HttpProblem {
  const source = column === undefined ? 'its second column' : `the column ${quoted(column)}`;
  const detail =
    `line ${line} of the file has ${quoted(place)} in ${source}, and the request has ${country} for all rows; remove ` +
    'country= to use the column of the file, or remove the column';
  return fileProblem('other-country', detail);
}
