import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';
import { nextSlice, slicesOf } from './work-slices.ts';
import type { Page } from './page.port.ts';

/** All rows of a list, page by page as they are asked for. */
export async function* allPages<Row, View extends object>(
  first: Page<Row>,
  pageBehind: (cursor: string) => Promise<Page<Row>>,
  view: (row: Row) => View,
): AsyncGenerator<View[], void> {
  let page = first;
  for (;;) {
    // One in which no row fits is not the last for that.
    const views: View[] = [];
    for (const rows of slicesOf(page.items)) {
      await nextSlice();
      views.push(...rows.map(view));
    }
    if (views.length > 0) yield views;
    if (page.next === null) return;
    page = await pageBehind(page.next);
  }
}

/** Returns the text of a page, which is sent as one chunk. */
async function inSlices(page: readonly object[], textOf: (rows: readonly object[]) => string): Promise<string> {
  let text = '';
  for (const rows of slicesOf(page)) {
    await nextSlice();
    text += textOf(rows);
  }
  return text;
}

/** What a slow reader has not taken yet is one page, not sixteen. */
const onePage = { highWaterMark: 1 };

/** A page is one chunk: a row of its own for each would cost more than reading it. */
export function ndjsonStream(pages: AsyncIterable<readonly object[]>): Readable {
  return Readable.from(linesOf(pages), onePage);
}

async function* linesOf(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string, void> {
  for await (const page of pages)
    yield await inSlices(page, (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/**
 * The rows of RFC 4180. An error on the way destroys the stream, so that what was cut does not look complete.
 * @param options `raw`: texts as they are. Otherwise those that begin like a formula get an apostrophe in front: ids
 *   and details come from others, and the program that opens the file would carry out what they wrote (OWASP, CSV
 *   injection)
 */
export function csvStream(
  pages: AsyncIterable<readonly object[]>,
  columns: readonly string[],
  { raw, bom }: { raw: boolean; bom: boolean },
): Readable {
  // The head does not wait for a row: where few of a long list fit, the first may come late.
  const head = `${bom ? byteOrderMark : ''}${columns.join(',')}\r\n`;
  return Readable.from(recordsOf(head, pages, columns, raw), onePage);
}

const byteOrderMark = '\ufeff';

async function* recordsOf(
  head: string,
  pages: AsyncIterable<readonly object[]>,
  columns: readonly string[],
  raw: boolean,
): AsyncGenerator<string, void> {
  yield head;
  const manner = { columns: [...columns], record_delimiter: 'windows', escape_formulas: !raw } as const;
  for await (const page of pages) yield await inSlices(page, (rows) => stringify([...rows], manner));
}
