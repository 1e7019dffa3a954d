import { quoted } from '../frame/http-problem.ts';
import { fieldsOf, separators, type Separator } from './csv-rows.ts';
import { fileProblem } from './file-problems.ts';

export interface HeadLines {
  /** Separator that a first line such as `sep=;` states. */
  named: Separator | undefined;
  skippedLines: number;
  first: string | undefined;
  /** First lines with content, including `first`. */
  rows: readonly string[];
}

/** Maximum number of lines by which the separator is determined. */
const judgedLines = 100;

/**
 * Returns the first lines.
 * @throws {HttpProblem} 422 if a line `sep=` states an unknown separator
 */
export function headLinesOf(lines: readonly string[]): HeadLines {
  const sep = /^"?sep=(.)"?$/i.exec(lines[0] ?? '')?.[1];
  const named = separators.find((separator) => separator === sep);
  if (sep !== undefined && named === undefined) {
    const detail = `the line "sep=" names ${quoted(sep)}; fields may be separated by a comma, a semicolon, a tab or |`;
    throw fileProblem('unreadable-file', detail);
  }
  const begin = named === undefined ? 0 : 1;
  const place = lines.findIndex((line, index) => index >= begin && line.trim() !== '');
  if (place < 0) return { named, skippedLines: begin, first: undefined, rows: [] };
  const rows: string[] = [];
  for (let at = place; at < lines.length && rows.length < judgedLines; at++) {
    const line = lines[at] ?? '';
    if (line.trim() !== '') rows.push(line);
  }
  return { named, skippedLines: place, first: lines[place], rows };
}

/** Returns the separator with which at least one field of the header is a wanted name. */
export function separatorWhere(header: string, isWanted: (name: string) => boolean): Separator | undefined {
  const found = separators.filter((each) => header.includes(each));
  return found.find((each) => fieldsIn(header, each).some(isWanted));
}

/**
 * Returns the separator that splits the first line and most other lines into the same number of fields; a comma if
 * there is none.
 */
export function rowSeparatorOf(rows: readonly string[]): Separator {
  const regular = separators.filter((each) => {
    const counts = rows.map((row) => fieldsIn(row, each).length);
    const [first = 1] = counts;
    return first > 1 && counts.filter((count) => count === first).length * 2 > counts.length;
  });
  return regular[0] ?? ',';
}

/** Returns the fields of a first line. If a quoted field is not closed, the whole line is one field. */
export function fieldsIn(line: string, separator: Separator): string[] {
  const fields = fieldsOf(line, separator);
  return Array.isArray(fields) ? fields : [line];
}

/**
 * Refuses a file whose rows mostly have another separator than its header, because their ids would be read as `u-1;SG`.
 * A line such as `sep=,` confirms the separator, and the file is then accepted. The separator `|` is considered
 * only below a header of several columns, because ids often contain it, as in `auth0|6b1f`.
 * @throws {HttpProblem} 422
 */
export function requireSameSeparator(
  { named, rows }: HeadLines,
  { separator, count }: { separator: Separator; count: number },
): void {
  if (named !== undefined) return;
  const others = separators.filter((each) => each !== separator && (each !== '|' || count > 1));
  const below = rows.slice(count > 1 || rows.length > 1 ? 1 : 0);
  for (const other of others) {
    const odd = below.filter((row) => fieldsIn(row, separator).length === 1 && fieldsIn(row.trim(), other).length > 1);
    if (odd.length === 0 || odd.length * 2 < below.length) continue;
    const has = count === 1 ? 'one column' : `${count} columns, separated by ${nameOf(separator)}`;
    const detail =
      `the first line has ${has}, and ${odd.length} of the next ${below.length} lines contain ${nameOf(other)}, such as ${quoted(odd[0])}. ` +
      `Use one separator in all lines; if it belongs to the ids, put the line "sep=${separator}" in front`;
    throw fileProblem('unclear-separator', detail);
  }
}

function nameOf(separator: Separator): string {
  return { ',': 'a comma', ';': 'a semicolon', '\t': 'a tab', '|': 'a |' }[separator];
}
