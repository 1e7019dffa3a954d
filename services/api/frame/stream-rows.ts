import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';
import { nextSlice, slicesOf } from './work-slices.ts';
import type { Page } from './page.port.ts';

export async function* allPages<Row, View extends object>(
  first: Page<Row>,
  pageBehind: (cursor: string) => Promise<Page<Row>>,
  view: (row: Row) => View,
): AsyncGenerator<View[], void> {
  let page = first;
  for (;;) {
    // A page without matching rows is not necessarily the last one.
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

async function inSlices(page: readonly object[], textOf: (rows: readonly object[]) => string): Promise<string> {
  let text = '';
  for (const rows of slicesOf(page)) {
    await nextSlice();
    text += textOf(rows);
  }
  return text;
}

/** Buffers one page for a slow reader, instead of the default of sixteen. */
const onePage = { highWaterMark: 1 };

/** Returns a stream with one chunk for each page: a chunk for each row would cost more than reading it. */
export function ndjsonStream(pages: AsyncIterable<readonly object[]>): Readable {
  return Readable.from(linesOf(pages), onePage);
}

async function* linesOf(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string, void> {
  for await (const page of pages)
    yield await inSlices(page, (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/**
 * Returns a stream of CSV (RFC 4180). An error destroys the stream, so that a truncated file does not look complete.
 * @param options `raw`: texts unchanged. Otherwise texts that begin like a formula get a leading apostrophe. Ids and
 * details come from other people, and a spreadsheet would execute what they wrote (OWASP, CSV injection).
 */
export function csvStream(
  pages: AsyncIterable<readonly object[]>,
  columns: readonly string[],
  { raw, bom }: { raw: boolean; bom: boolean },
): Readable {
  // The header is sent before the first row, which may take long if few rows of a long list match.
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
