import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';
import { nextSlice, slicesOf } from './work-slices.ts';
import type { Page } from './page.port.ts';

/** Yields the pages of a list that have rows. A page without matching rows is not necessarily the last one. */
export async function* allPages<Row>(
  first: Page<Row>,
  pageBehind: (cursor: string) => Promise<Page<Row>>,
): AsyncGenerator<readonly Row[], void> {
  for (let page = first; ; page = await pageBehind(page.next)) {
    if (page.items.length > 0) yield page.items;
    if (page.next === null) return;
  }
}

export async function* viewsOf<Row, View extends object>(
  pages: AsyncIterable<readonly Row[]>,
  view: (row: Row) => View,
): AsyncGenerator<View[], void> {
  for await (const page of pages) {
    const views: View[] = [];
    for (const rows of slicesOf(page)) {
      await nextSlice();
      views.push(...rows.map(view));
    }
    yield views;
  }
}

async function inSlices<Row>(page: readonly Row[], textOf: (rows: readonly Row[]) => string): Promise<string> {
  let text = '';
  for (const rows of slicesOf(page)) {
    await nextSlice();
    text += textOf(rows);
  }
  return text;
}

/** Buffers one page for a slow reader, instead of the default of sixteen. */
const onePage = { highWaterMark: 1 };

/** Writes rows of a file as text. */
export interface RowWriter<Row> {
  /** Text before the first row. */
  head: string;
  textOf: (rows: readonly Row[]) => string;
}

/**
 * Returns a stream with one chunk for each page: a chunk for each row would cost more than reading it. An error
 * destroys the stream, so that a truncated file does not look complete.
 */
export function rowStream<Row>(pages: AsyncIterable<readonly Row[]>, { head, textOf }: RowWriter<Row>): Readable {
  return Readable.from(textsOf(), onePage);

  async function* textsOf(): AsyncGenerator<string, void> {
    // The header is sent before the first row, which may take long if few rows of a long list match.
    if (head !== '') yield head;
    for await (const page of pages) yield await inSlices(page, textOf);
  }
}

export const jsonLines: RowWriter<object> = {
  head: '',
  textOf: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
};

export interface CsvManner {
  /**
   * True leaves texts unchanged. Otherwise texts that begin like a formula get a leading apostrophe. Ids and details
   * come from other people, and a spreadsheet would execute what they wrote (OWASP, CSV injection).
   */
  raw: boolean;
  /** True begins the file with a byte order mark. */
  bom: boolean;
}

/** Returns a writer of CSV (RFC 4180). */
export function csvRecords(columns: readonly string[], { raw, bom }: CsvManner): RowWriter<object> {
  const options = { columns: [...columns], record_delimiter: 'windows', escape_formulas: !raw } as const;
  return {
    head: `${bom ? byteOrderMark : ''}${columns.join(',')}\r\n`,
    textOf: (rows) => stringify([...rows], options),
  };
}

const byteOrderMark = '\ufeff';
