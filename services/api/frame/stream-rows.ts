import { stringify } from 'csv-stringify';
import { pipeline, Readable } from 'node:stream';
import type { Page } from './page.port.ts';

/** All rows of a list, page by page as they are asked for. */
export async function* allRows<Row, View extends object>(
  first: Page<Row>,
  pageBehind: (cursor: string) => Promise<Page<Row>>,
  view: (row: Row) => View,
): AsyncGenerator<View, void> {
  let page = first;
  for (;;) {
    yield* page.items.map(view);
    if (page.next === null) return;
    page = await pageBehind(page.next);
  }
}

async function* linesOf(rows: AsyncIterable<object>): AsyncGenerator<string, void> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

export function ndjsonStream(rows: AsyncIterable<object>): Readable {
  return Readable.from(linesOf(rows));
}

/**
 * The rows of RFC 4180. An error on the way destroys the stream, so that what was cut does not look complete.
 * @param options `raw`: texts as they are. Otherwise those that begin like a formula get an apostrophe in front: ids
 *   and details come from others, and the program that opens the file would carry out what they wrote (OWASP, CSV
 *   injection)
 */
export function csvStream(
  rows: AsyncIterable<object>,
  columns: readonly string[],
  { raw, bom }: { raw: boolean; bom: boolean },
): Readable {
  const formatted = stringify({ columns: [...columns], record_delimiter: 'windows', escape_formulas: !raw });
  pipeline(Readable.from(rows), formatted, () => undefined);
  return Readable.from(withHead(`${bom ? byteOrderMark : ''}${columns.join(',')}\r\n`, formatted));
}

const byteOrderMark = '\ufeff';

/** The head does not wait for a row: where few of a long list fit, the first may come late. */
async function* withHead(head: string, rows: AsyncIterable<unknown>): AsyncGenerator<unknown, void> {
  yield head;
  yield* rows;
}
