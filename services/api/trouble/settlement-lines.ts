import { z } from 'zod';
import { settledFields } from '../../../shared/contracts/runs/settlements.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import type { SettledUser } from '../../../shared/ports/settlements.ts';
import type { RejectedLine } from './postgres/settlement-requests.ts';
import { textLines } from '../frame/text-lines.ts';

/** No line is longer: an id of 256 bytes, escaped, and a few words. */
const maxLineBytes = 4096;

export interface ReadLine {
  /** From 1. */
  line: number;
  /** What it settles, or why it settles no user. */
  entry: SettledUser | Pick<RejectedLine, 'userId' | 'rule'>;
}

/**
 * Lines of a settlement file as its bytes come: CSV (`userId,step,outcome[,code[,country]]`, a header may name them) or
 * NDJSON with the same fields. Memory is bounded however long the file or a line of it is; what cannot be read is said
 * line by line.
 */
export async function* readSettlementLines(
  bytes: AsyncIterable<unknown>,
  form: 'csv' | 'ndjson',
): AsyncGenerator<ReadLine> {
  let line = 0;
  for await (const text of textLines(bytes, maxLineBytes)) {
    line++;
    if (text === null) {
      yield { line, entry: { userId: null, rule: 'too-long' } };
      continue;
    }
    const trimmed = line === 1 ? text.replace(/^\ufeff/, '') : text;
    const isHeader = form === 'csv' && line === 1 && /^"?user_?id"?,/i.test(trimmed);
    if (trimmed.trim() === '' || isHeader) continue;
    const fields = form === 'csv' ? csvFields(trimmed) : jsonFields(trimmed);
    yield { line, entry: entryOf(fields) };
  }
}

type Fields = Record<string, unknown>;

const names = ['userId', 'step', 'outcome', 'code', 'country'] as const;
const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;

/** RFC 4180, but for line breaks inside of quotes: no user id holds one. Undefined where quotes do not close. */
function csvFields(line: string): Fields | undefined {
  const fields: Fields = {};
  field.lastIndex = 0;
  for (let place = 0; ; place++) {
    const found = field.exec(line);
    const name = names[place];
    if (!found || name === undefined) return undefined;
    const [, quoted, plain = '', end] = found;
    const value = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    if (value !== '') fields[name] = name === 'step' ? Number(value) : value;
    if (end === '') return fields;
  }
}

function jsonFields(line: string): Fields | undefined {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** No user is of a country that is none. */
const shape = z.object({ ...settledFields, country: z.string().max(2).optional() });

function entryOf(fields: Fields | undefined): ReadLine['entry'] {
  const named = fields?.['userId'];
  const userId = typeof named === 'string' ? named : null;
  const parsed = shape.safeParse(fields ?? {});
  if (parsed.success && !parsed.data.userId.includes('\0')) return settledUser(parsed.data);
  const paths = new Set(parsed.error?.issues.map(({ path }) => path[0]));
  if (userId === null || paths.has('userId') || !fields) return { userId: null, rule: 'malformed' };
  if (paths.has('step')) return { userId, rule: 'invalid-step' };
  return { userId, rule: paths.has('outcome') ? 'invalid-outcome' : 'malformed' };
}

/** As a person or a file names a user. */
export function settledUser({ userId, step, outcome, code, country }: z.output<typeof shape>): SettledUser {
  return { user: userId, step, outcome, country: country ?? null, reason: code ?? reasons.settled, detail: null };
}
