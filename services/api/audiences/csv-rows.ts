import type { RejectRule } from '../../../shared/contracts/campaigns/audiences.ts';

/** One line of a file, cut into what it says. */
export type CsvRow = { id: string; country: string | null } | { rejected: RejectRule };

/** What stands in which column; `country` below zero where there is none. */
export interface Columns {
  id: number;
  country: number;
}

/** No id is longer than 256 bytes; quotes double some of them, and a country may follow. */
export const maxLineBytes = 2048;

const header = /^(user_?id|country)(,(user_?id|country))?$/i;

/** The columns that a first line names, or null where it is a row already. */
export function columnsOf(line: string): Columns | null {
  const plain = line.replaceAll(/["\s]/g, '').toLowerCase();
  if (!header.test(plain)) return null;
  const names = plain.split(',');
  const id = names.findIndex((name) => name !== 'country');
  return id < 0 || names.filter((name) => name !== 'country').length > 1
    ? null
    : { id, country: names.indexOf('country') };
}

/** RFC 4180, but for line breaks inside of quotes: no id holds one. */
export function rowOf(line: string, { id, country }: Columns): CsvRow {
  const fields = line.includes('"') ? quotedFields(line) : line.includes(',') ? line.split(',') : [line];
  if (!fields) return { rejected: 'malformed-row' };
  if (fields.length > Math.max(id, country) + 1) return { rejected: 'too-many-columns' };
  const user = fields[id];
  if (user === undefined) return { rejected: 'malformed-row' };
  if (country < 0) return { id: user, country: null };
  const place = fields[country]?.trim();
  return place === undefined || place === '' ? { rejected: 'missing-country' } : { id: user, country: place };
}

const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;

/** Null where quotes do not close, or stand in the middle of a text. */
function quotedFields(line: string): string[] | null {
  const fields: string[] = [];
  field.lastIndex = 0;
  for (;;) {
    const found = field.exec(line);
    if (!found) return null;
    const [, quoted, plain = '', end] = found;
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') return fields;
  }
}
