import { gzipSync } from 'node:zlib';

/** Rows of a file, and what they hold behind the user id. */
export interface Table {
  /** Names of the columns behind `userId`. */
  more: readonly string[];
  rows: readonly { user: string; more: readonly string[] }[];
}

/** A file as a person may have it, and what is sent beside its bytes. */
export interface FileShape {
  name: string;
  file: Buffer;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Rows that are no user. */
  rejected?: number;
}

type Cells = (user: string, more: readonly string[]) => readonly string[];

function textOf(
  { more, rows }: Table,
  separator: string,
  header: string,
  cells: Cells = (user, all) => [user, ...all],
) {
  const lines = rows.map((row) => cells(row.user, row.more).join(separator));
  return [cells(header, more).join(separator), ...lines, ''].join('\n');
}

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

/** Files of which each row is read as the user that it names. */
export function readableShapes(table: Table): FileShape[] {
  const plain = textOf(table, ',', 'userId');
  const lines = plain.split('\n');
  const [, first = ''] = lines;
  const within = (line: string) => [...lines.slice(0, 3), line, ...lines.slice(3)].join('\n');
  const blanks = [' ', '\u00a0', '\u200b', '\t'];
  let padded = 0;
  const pad = (user: string, more: readonly string[]) => {
    const blank = blanks[padded++ % blanks.length] ?? '';
    return [padded % 2 === 0 ? `${blank}${user}` : `${user}${blank}`, ...more];
  };
  const asText: Record<string, string> = {
    'semicolons and another column': textOf(table, ';', 'userId', (user, more) => [user, ...more, 'asked, by phone']),
    'a separator that Excel names': `sep=;\r\n${textOf(table, ';', 'userId').replaceAll('\n', '\r\n')}`,
    'tabs and a common name': textOf(table, '\t', 'Customer ID', (user, more) => ['gold', user, ...more]),
    'bars and a byte order mark': `\ufeff${textOf(table, '|', 'external_id', (user, more) => [...more, user, 'x'])}`,
    'blanks at the edges': textOf(table, ',', 'userId', pad),
    quotes: textOf(table, ',', '"userId"', (user, more) => [`"${user.replaceAll('"', '')}"`, ...more]),
    'line ends of an old Mac': plain.replaceAll('\n', '\r'),
    'empty lines in front': `\n\r\n \n${plain}`,
  };
  return [
    ...Object.entries(asText).map(([name, text]) => ({ name, file: Buffer.from(text) })),
    { name: 'a header of its own', file: Buffer.from(textOf(table, ',', 'Kunden-Nr.')), query: { user: 'Kunden-Nr.' } },
    { name: 'UTF-16, little endian', file: utf16(textOf(table, '\t', 'userId')) },
    { name: 'UTF-16, big endian', file: utf16(textOf(table, ';', 'userId')).swap16() },
    { name: 'gzip by its first bytes', file: gzipSync(plain) },
    { name: 'gzip by its header', file: gzipSync(plain), headers: { 'content-encoding': 'gzip' } },
    { name: 'the header in the middle', file: Buffer.from(within(lines[0] ?? '')), rejected: 1 },
    { name: 'a missing user', file: Buffer.from(within(first.replace(/^[^,]*/, 'NULL'))), rejected: 1 },
    { name: 'a NUL in a user', file: Buffer.from(within(first.replace(/^./, '\0'))), rejected: 1 },
  ];
}

/** Files of which no row may be read as a user, because that would be a guess. */
export function unreadableShapes(table: Table): FileShape[] {
  const plain = textOf(table, ',', 'userId');
  const cells = table.rows.map(({ user }) => `<tr><td>${user}</td></tr>`).join('\n');
  const users = table.rows.map(({ user }) => ({ userId: user }));
  const withReasons = textOf(table, ';', 'userId', (user, more) => [user, ...more, 'reason']);
  const otherwise = withReasons.replace(/^.*\n/, (header) => header.replaceAll(';', ','));
  const asBytes: Record<string, Buffer> = {
    'a workbook': Buffer.from(`PK\u0003\u0004\u0014\0\u0006\0\u0008\0${plain}`, 'latin1'),
    'an old workbook': Buffer.from(`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${plain}`, 'latin1'),
    'a PDF document': Buffer.from(`%PDF-1.7\n${plain}`),
    'a web page': Buffer.from(`<!DOCTYPE html>\n<html><table>\n${cells}\n</table></html>`),
    'a table of a web page': Buffer.from(`<table>\n${cells}\n</table>`),
    JSON: Buffer.from(JSON.stringify(users)),
    'gzip twice': gzipSync(gzipSync(plain)),
    'UTF-16 without a mark': Buffer.from(plain, 'utf16le'),
    'Latin-1 in the header': Buffer.from(`Schl\xfcssel,${plain.replaceAll('\n', '\nx,')}`, 'latin1'),
    'other separators than in the header': Buffer.from(otherwise),
  };
  const headers = ['email', 'Phone Number', 'Kunde', 'Kunden-Nr.'];
  return [
    ...Object.entries(asBytes).map(([name, file]) => ({ name, file })),
    ...headers.map((header) => ({ name: `the header ${header}`, file: Buffer.from(textOf(table, ',', header)) })),
  ];
}

/** A file of which more than a twentieth of the rows have no user, so that its sender has to accept that. */
export function shapeWithMissingUsers(table: Table): FileShape {
  const plain = textOf(table, ',', 'userId');
  return { name: 'missing users', file: Buffer.from(plain.replaceAll(/\n[^,\n]*[0-4](?=[,\n])/g, '\nNULL')) };
}
