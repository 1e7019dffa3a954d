import { quoted } from '../frame/http-problem.ts';
import { isUserName, namedColumn, userColumnOf, wordOf } from './column-names.ts';
import type { Separator } from './csv-rows.ts';
import { requireEncoded, type ColumnChoice } from './file-columns.ts';
import { fileProblem } from './file-problems.ts';
import { fieldsIn, headLinesOf, rowSeparatorOf, separatorWhere } from './separator.ts';

/** Fields of a settlement, in the order of the columns of a file without a header. */
export const settlementFields = ['userId', 'step', 'outcome', 'code', 'country'] as const;

export type SettlementField = (typeof settlementFields)[number];

export interface SettlementColumns {
  separator: Separator;
  skippedLines: number;
  hasHeader: boolean;
  /** Names of the columns; empty for a file without a header. */
  names: readonly string[];
  /** Field in each column; null for a column that is ignored. */
  fields: readonly (SettlementField | null)[];
}

/**
 * Finds the columns of a settlement file by its first lines, before any user is settled.
 * @throws {HttpProblem} 422 for a header that is not UTF-8, or that has no columns for user ids, steps or outcomes
 */
export function settlementColumnsOf(
  lines: readonly string[],
  choice: Omit<ColumnChoice, 'country'>,
): SettlementColumns {
  const head = headLinesOf(lines);
  const { named, skippedLines, first = '', rows } = head;
  const isUser = (name: string) =>
    choice.user === undefined ? isUserName(name) : wordOf(name) === wordOf(choice.user);
  const separator = named ?? separatorWhere(first, isUser) ?? rowSeparatorOf(rows);
  const names = fieldsIn(first, separator).map((name) => name.trim());
  const id = choice.user === undefined ? userColumnOf(names) : namedColumn(choice.user, names);
  if (choice.header === 'none' || (choice.user === undefined && id < 0 && !isHeader(names))) {
    return { separator, skippedLines, hasHeader: false, names: [], fields: settlementFields };
  }
  requireEncoded(head);
  const others = settlementFields.slice(1);
  const places = new Map<number, SettlementField>(others.map((field) => [namedColumn(field, names), field]));
  const missing = (['step', 'outcome'] as const).filter((field) => namedColumn(field, names) < 0);
  const lacking: string | undefined = id < 0 ? (choice.user ?? 'userId') : missing[0];
  if (lacking !== undefined) {
    const detail =
      `the first line names no column ${quoted(lacking)}; it has ${names.map((name) => quoted(name)).join(', ')}. A settlement file has the ` +
      'columns userId, step, outcome, and optionally code and country; send header=none if the first line is a user already';
    throw fileProblem(id < 0 && choice.user === undefined ? 'no-user-column' : 'unknown-column', detail);
  }
  places.set(id, 'userId');
  const fields = names.map((_, index) => places.get(index) ?? null);
  return { separator, skippedLines: skippedLines + 1, hasHeader: true, names, fields };
}

/**
 * Returns true for a header: no field consists only of digits. Each row, in contrast, contains the number of a step.
 */
function isHeader(names: readonly string[]): boolean {
  return names.length > 1 && names.every((name) => /^[\p{L}\s_.-]+$/u.test(name));
}
