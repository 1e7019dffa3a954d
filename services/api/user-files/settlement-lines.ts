import { z } from 'zod';
import { settledFields, type RejectedLineShape } from '../../../shared/contracts/runs/settlements.ts';
import { unstorable } from '../../../shared/contracts/stored-texts.ts';
import { isStorable } from '../../../shared/domain/ids/stored-text.ts';
import { brokenUserIdRule, escapeUserId, type UserIdRule } from '../../../shared/domain/ids/user-id.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import type { SettledUser } from '../../../shared/ports/settlements.ts';
import { byteLines } from '../frame/streams/byte-lines.ts';
import { countryCodeOf } from './country-names.ts';
import { fieldsOf } from './csv-rows.ts';
import type { ColumnChoice } from './file-columns.ts';
import type { FileEncoding } from './file-format.ts';
import { openFile } from './file-text.ts';
import { withoutEdges } from './user-cells.ts';
import { settlementColumnsOf, type SettlementColumns } from './settlement-columns.ts';

/** Line of a file that settled no user. */
export interface RejectedLine extends RejectedLineShape {
  /** Stable code of the rule that the line violates. */
  rule:
    UserIdRule | 'malformed' | 'not-utf-8' | 'invalid-step' | 'invalid-outcome' | 'not-unknown' | 'settled-otherwise';
}

/** Maximum number of bytes of a line. It is large, because other columns of an export may be long. */
const maxLineBytes = 64 * 1024;

export interface ReadLine {
  /** Number of the line; the first line has number 1. */
  line: number;
  bytes: number;
  /** User to settle, or the reason why the line is rejected. */
  entry: SettledUser | Pick<RejectedLine, 'userId' | 'rule'>;
}

export interface SettlementText {
  encoding: FileEncoding;
  /** Columns of the file; null if its lines are JSON. */
  columns: SettlementColumns | null;
  lines: AsyncIterable<ReadLine>;
  close(): Promise<void>;
}

export interface SettlementForm {
  form: 'csv' | 'ndjson';
  choice?: Omit<ColumnChoice, 'country'>;
}

/**
 * Opens a settlement file and finds its columns.
 * @param onHead receives the first lines before the columns are found
 * @throws {HttpProblem} 422 for a format, an encoding or columns that cannot be read, before the first line is read
 */
export async function openSettlementFile(
  bytes: AsyncIterable<unknown>,
  { form, choice = {} }: SettlementForm,
  onHead?: (lines: readonly string[]) => void,
): Promise<SettlementText> {
  const file = await openFile(bytes, { allowsJson: form === 'ndjson' });
  onHead?.(file.headLines);
  try {
    const columns = form === 'csv' ? settlementColumnsOf(file.headLines, choice) : null;
    return { encoding: file.encoding, columns, lines: linesOf(file.bytes, columns), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Yields the lines of a settlement file as its bytes arrive. The file is CSV (`userId,step,outcome[,code[,country]]`,
 * or columns in any order with a header) or NDJSON with the same fields. Memory is bounded for files and lines of any
 * length. A line that cannot be read is rejected.
 * @throws {HttpProblem} 422 for a format, an encoding or columns that cannot be read, before the first line is read
 */
export async function* readSettlementLines(
  bytes: AsyncIterable<unknown>,
  form: SettlementForm,
): AsyncGenerator<ReadLine> {
  const file = await openSettlementFile(bytes, form);
  try {
    yield* file.lines;
  } finally {
    await file.close();
  }
}

/**
 * Yields lines.
 * @param columns columns of the file; null if its lines are JSON
 */
async function* linesOf(file: AsyncIterable<Buffer>, columns: SettlementColumns | null): AsyncGenerator<ReadLine> {
  let line = 0;
  for await (const bytesOfLine of byteLines(file, maxLineBytes)) {
    line++;
    if (line <= (columns?.skippedLines ?? 0)) continue;
    if (bytesOfLine === null) {
      yield { line, bytes: maxLineBytes, entry: { userId: null, rule: 'too-long' } };
      continue;
    }
    const bytes = bytesOfLine.length;
    const text = decoded(bytesOfLine);
    if (text === null) {
      yield { line, bytes, entry: { userId: null, rule: 'not-utf-8' } };
      continue;
    }
    if (text.trim() === '') continue;
    const fields = columns ? csvFields(text, columns) : jsonFields(text);
    yield { line, bytes, entry: entryOf(fields) };
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

type Fields = Record<string, unknown>;

/**
 * Returns the fields of a line. Returns undefined if quotes are not closed, or if there are more fields than columns.
 */
function csvFields(line: string, { separator, fields: columns, hasHeader }: SettlementColumns): Fields | undefined {
  const cells = fieldsOf(line, separator);
  if (!Array.isArray(cells) || cells.slice(columns.length).some((cell) => cell !== '')) return undefined;
  const fields: Fields = {};
  for (const [index, name] of columns.entries()) {
    const cell = cells[index];
    if (name === null || cell === undefined) continue;
    const value = name === 'userId' && !hasHeader ? cell : withoutEdges(cell);
    if (name === 'userId') fields[name] = value;
    else if (value === '') continue;
    else if (name === 'step') fields[name] = Number(value);
    else fields[name] = name === 'country' ? (countryCodeOf(value) ?? value) : value;
  }
  return fields;
}

function jsonFields(line: string): Fields | undefined {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** A country that is not a code is allowed here; it matches no user. */
const shape = z.object({
  ...settledFields,
  country: z.string().max(2).refine(isStorable, unstorable).optional(),
});

/**
 * Returns the user to settle, or the rejected line. Rejected lines are stored as JSON. Valid ids can always be stored,
 * so only ids that violate a rule are escaped.
 */
function entryOf(fields: Fields | undefined): ReadLine['entry'] {
  const userId = fields?.['userId'];
  if (typeof userId !== 'string') return { userId: null, rule: 'malformed' };
  const brokenRule = brokenUserIdRule(userId);
  if (brokenRule !== null) return { userId: escapeUserId(userId), rule: brokenRule };
  const parsed = shape.safeParse(fields);
  if (parsed.success) return settledUser(parsed.data);
  const paths = new Set(parsed.error.issues.map(({ path }) => path[0]));
  if (paths.has('step')) return { userId, rule: 'invalid-step' };
  return { userId, rule: paths.has('outcome') ? 'invalid-outcome' : 'malformed' };
}

export function settledUser({ userId, step, outcome, code, country }: z.output<typeof shape>): SettledUser {
  return { user: userId, step, outcome, country: country ?? null, reason: code ?? reasons.settled, detail: null };
}
