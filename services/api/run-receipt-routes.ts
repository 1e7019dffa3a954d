import { Readable } from 'node:stream';
import { z } from 'zod';
import { userReceipt } from '../../shared/contracts/receipts.ts';
import { countryPattern } from '../../shared/domain/shard.ts';
import { pageLimit, pageQuery, pageShape } from './contracts/pages.ts';
import { notWithStream, onlyWithCsv, refuseGiven } from './failure-routes.ts';
import { problems, streamed } from './http/answer-shapes.ts';
import type { HttpServer } from './http/create-http-server.ts';
import { notFound } from './http/http-problem.ts';
import { preferredType } from './http/preferred-type.ts';
import type { ReceiptBook } from './ports/receipt-book.ts';
import type { RunReports } from './ports/run-reports.ts';
import { refusingInvalidCursor, requireId } from './public-ids.ts';
import { allRows, csvStream, ndjsonStream } from './stream-rows.ts';
import { receiptView } from './views/receipt.ts';

const csv = 'text/csv';
const ndjson = 'application/x-ndjson';

const receiptQuery = pageQuery.extend({
  limit: pageLimit.optional().describe('100 when absent'),
  step: z.coerce.number().int().min(1).max(20).optional(),
  country: z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG').optional(),
  status: z.enum(['delivered', 'undelivered']).optional(),
  raw: z
    .enum(['true', 'false'])
    .optional()
    .describe('With CSV: true leaves texts that a spreadsheet takes for formulas as they are'),
  for: z
    .enum(['excel'])
    .optional()
    .describe('With CSV: begins with a UTF-8 byte order mark, without which Excel misreads é'),
});

const columns = Object.keys(userReceipt.shape);
const ordinaryPage = 100;
const streamedPage = 1000;

/** Whom a provider said something of. */
export function runReceiptRoutes(
  server: HttpServer,
  { reports, receipts }: { reports: RunReports; receipts: ReceiptBook },
): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/receipts',
    schema: {
      operationId: 'listRunReceipts',
      summary: 'Users that were accepted, and whether they were delivered',
      description:
        `The last receipt of each user, by page, or all of them as a stream with \`Accept: ${csv}\` or \`${ndjson}\`; ` +
        '`status=undelivered` for those that were not. In CSV a text that a spreadsheet would take for a formula gets an apostrophe ' +
        'in front; programs ask for `raw=true`.',
      tags: ['runs', 'receipts'],
      params: z.object({ id: z.string().describe('run_…') }),
      querystring: receiptQuery,
      response: {
        200: {
          description: 'A page of receipts, or all of them',
          content: {
            'application/json': { schema: pageShape(userReceipt) },
            [csv]: streamed,
            [ndjson]: streamed,
          },
        },
        ...problems(401, 404, 422, 429),
      },
    },
    handler: async ({ params: { id }, query, headers, method }, reply) => {
      const { limit, cursor, raw, for: reader, status, ...places } = query;
      const runId = requireId('run', id);
      const filter = { ...places, delivered: status === undefined ? undefined : status === 'delivered' };
      const type = preferredType(headers.accept, ['application/json', csv, ndjson]);
      const asStream = type !== 'application/json';
      if (asStream) refuseGiven({ limit, cursor }, notWithStream);
      if (type !== csv) refuseGiven({ raw, for: reader }, onlyWithCsv);
      if (!(await reports.snapshot(runId))) throw notFound('run', id);
      const size = asStream ? streamedPage : (limit ?? ordinaryPage);
      const first = await refusingInvalidCursor(cursor, () => receipts.list(runId, filter, size, cursor ?? null));
      reply.header('vary', 'accept');
      if (!asStream) return reply.send({ items: first.items.map(receiptView), next: first.next });

      const rows = allRows(first, (next) => receipts.list(runId, filter, streamedPage, next), receiptView);
      const manner = { raw: raw === 'true', bom: reader === 'excel' };
      const extension = type === csv ? 'csv' : 'ndjson';
      return reply
        .type(type === csv ? `${csv}; charset=utf-8; header=present` : ndjson)
        .header('content-disposition', `attachment; filename="${id}-receipts.${extension}"`)
        .send(
          method === 'HEAD' ? Readable.from([]) : type === csv ? csvStream(rows, columns, manner) : ndjsonStream(rows),
        );
    },
  });
}
