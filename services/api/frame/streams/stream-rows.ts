import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';
import { nextSlice, slicesOf } from './work-slices.ts';
import type { Page } from '../page.port.ts';

/**
 * Yields the pages of a list that have rows. A page without matching rows may be followed by others, and is skipped.
 */
export async function* allPages<Row>(
  first: Page<Row>,
  pageAfter: (cursor: string) => Promise<Page<Row>>,
): AsyncGenerator<readonly Row[], void> {
  for (let page = first; ; page = await pageAfter(page.next)) {
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

/** Buffers at most one page for a slow reader, instead of sixteen as by default. */
const onePage = { highWaterMark: 1 };

/** Writer of a file's rows as text. */
export interface RowWriter<Row> {
  /** Text before the first row. */
  head: string;
  textOf: (rows: readonly Row[]) => string;
}

/**
 * Returns a stream with one chunk for each page, because a chunk for each row would cost more than reading the row. An
 * error destroys the stream, so that an incomplete file does not look complete.
 */
export function rowStream<Row>(pages: AsyncIterable<readonly Row[]>, { head, textOf }: RowWriter<Row>): Readable {
  return Readable.from(textsOf(), onePage);

  async function* textsOf(): AsyncGenerator<string, void> {
    // The header is sent before the first row, because the first row may take long if few rows of a long list match.
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
   * If true, texts are written unchanged. Otherwise a text that begins like a formula gets a leading apostrophe: ids
   * and details come from other people, and a spreadsheet would execute them (OWASP, CSV injection).
   */
  raw: boolean;
  /** If true, the file begins with a byte order mark. */
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
