import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { invalidRequest } from '../http-problem.ts';
import { preferredType } from '../preferred-type.ts';
import type { Page } from '../page.port.ts';
import { refusingInvalidCursor } from '../public-ids.ts';
import { sharedCsvRecords, sharedJsonLines, type SharedCells } from './shared-cells.ts';
import { allPages, csvRecords, jsonLines, rowStream, viewsOf, type CsvManner, type RowWriter } from './stream-rows.ts';
import { refusals } from '../../../../shared/contracts/stated-rules.ts';

export const csv = 'text/csv';
export const ndjson = 'application/x-ndjson';

const ordinaryPage = 100;
const streamedPage = 1000;

const formats = { json: 'application/json', csv, ndjson } as const;

/** Query parameters of lists that can be exported as a stream: the format, and the form of CSV. */
export const streamManner = {
  format: z
    .enum(['json', 'csv', 'ndjson'])
    .optional()
    .describe('Alternative to the header `Accept`, for links; it takes precedence over `Accept`')
    .meta(refusals({ 'not-with-stream': '`limit` or `cursor` is given, and the answer is CSV or lines of JSON' })),
  raw: z
    .enum(['true', 'false'])
    .optional()
    .describe('For CSV: true leaves texts that a spreadsheet would read as formulas unchanged')
    .meta(refusals({ 'only-with-csv': '`raw` or `for` is given, and the answer is not CSV' })),
  for: z
    .enum(['excel'])
    .optional()
    .describe('For CSV: true begins with a UTF-8 byte order mark, which Excel needs to read é'),
};

/**
 * Returns true if a request to such a list exports the whole list as a file. The duration of such a request grows with
 * the list.
 */
export function asksForFile({ query, headers: { accept } }: Pick<FastifyRequest, 'query' | 'headers'>): boolean {
  const { format } = formatIn.safeParse(query).data ?? {};
  return typeOf({ accept, format }) !== formats.json;
}

const formatIn = z.object({ format: streamManner.format.catch(undefined) });

function typeOf({ accept, format }: Pick<ListRequest, 'accept' | 'format'>) {
  return format ? formats[format] : preferredType(accept, [formats.json, csv, ndjson]);
}

export interface ListRequest {
  accept: string | undefined;
  format: keyof typeof formats | undefined;
  method: string;
  limit: number | undefined;
  cursor: string | undefined;
  raw: 'true' | 'false' | undefined;
  reader: 'excel' | undefined;
}

export interface AnsweredList<Row, View extends object> {
  /** Name of the downloaded file, without extension. */
  fileName: string;
  columns: readonly string[];
  /** Throws if the object whose list is requested does not exist. Called once, before the first page is read. */
  requireSubject: () => Promise<void>;
  /** Reads a page. `isFile` is true for a page of a file, which is read over the connections for heavy requests. */
  pageOf: (limit: number, cursor: string | null, isFile: boolean) => Promise<Page<Row>>;
  view: (row: Row) => View;
  /** Returns the fields of an item's CSV row, if they differ from those of the view. */
  csvRow?: (row: Row) => object;
  /**
   * Cells that are equal in many rows of a file. They begin with the first column, which is the first property of the
   * view.
   */
  sharedCells?: SharedCells<Row>;
}

/** Sends a page as JSON, or the whole list as a stream of CSV or JSON lines. The request decides the form. */
export async function answerList<Row, View extends object>(
  reply: FastifyReply,
  { accept, format, method, limit, cursor, raw, reader }: ListRequest,
  list: AnsweredList<Row, View>,
): Promise<FastifyReply> {
  const { fileName, requireSubject, pageOf, view } = list;
  const type = typeOf({ accept, format });
  const asStream = type !== formats.json;
  if (asStream) refuseGiven({ limit, cursor }, notWithStream);
  if (type !== csv) refuseGiven({ raw, for: reader }, onlyWithCsv);
  await requireSubject();
  const size = asStream ? streamedPage : (limit ?? ordinaryPage);
  const first = await refusingInvalidCursor(cursor, () => pageOf(size, cursor ?? null, asStream));
  reply.header('vary', 'accept');
  if (!asStream) return reply.send({ items: first.items.map(view), next: first.next });

  const pages = allPages(first, (next) => pageOf(streamedPage, next, true));
  const manner = { raw: raw === 'true', bom: reader === 'excel' };
  const extension = type === csv ? 'csv' : 'ndjson';
  return reply
    .type(type === csv ? `${csv}; charset=utf-8; header=present` : ndjson)
    .header('content-disposition', `attachment; filename="${fileName}.${extension}"`)
    .send(method === 'HEAD' ? Readable.from([]) : fileOf(pages, list, type === csv ? manner : undefined));
}

/**
 * Returns the list as a stream.
 * @param csvManner form of CSV; undefined for JSON lines
 */
function fileOf<Row, View extends object>(
  pages: AsyncIterable<readonly Row[]>,
  { columns, view, csvRow = view, sharedCells }: AnsweredList<Row, View>,
  csvManner: CsvManner | undefined,
): Readable {
  const writer = csvManner ? csvRecords(columns, csvManner) : jsonLines;
  const toObject = csvManner ? csvRow : view;
  if (!sharedCells) return rowStream(viewsOf(pages, toObject), writer);
  const ofRows: RowWriter<Row> = { head: writer.head, textOf: (rows) => writer.textOf(rows.map(toObject)) };
  return rowStream(
    pages,
    csvManner
      ? sharedCsvRecords(sharedCells, ofRows, csvManner.raw)
      : sharedJsonLines(sharedCells, ofRows, columns[0] ?? ''),
  );
}

/**
 * Problem of a limit in a request for a stream. A stream always contains the whole list, so a limit would be ignored;
 * it is refused instead.
 */
const notWithStream = {
  code: 'not-with-stream',
  detail: 'is only for pages of JSON; a stream contains all matching rows',
};

const onlyWithCsv = { code: 'only-with-csv', detail: `is an option of CSV and requires Accept: ${csv}` };

function refuseGiven(parameters: Record<string, unknown>, problem: { code: string; detail: string }): void {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const errors = given.map(([name]) => ({ pointer: `/${name}`, ...problem }));
  if (errors.length > 0) throw invalidRequest(errors);
}
