import { z } from 'zod';
import { answerList, csv, streamManner, ndjson } from '../frame/streams/answer-list.ts';
import { userReceipt } from '../../../shared/contracts/endpoints/receipts.ts';
import { countryPattern } from '../../../shared/domain/endpoint/shard.ts';
import { pageLimit, pageQuery, pageShape } from '../frame/pages.contract.ts';
import { problems, streamed } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem, notFound } from '../frame/http-problem.ts';
import type { ReceiptStore } from './postgres/receipt-store.ts';
import type { RunReports } from '../runs/run-reports.port.ts';
import { requireId } from '../frame/public-ids.ts';
import { receiptView } from './receipt-view.ts';

const receiptQuery = pageQuery.extend({
  limit: pageLimit.optional().describe('Default: 100'),
  step: z.coerce.number().int().min(1).max(20).optional(),
  country: z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG').optional(),
  status: z.enum(['delivered', 'undelivered']).optional(),
  ...streamManner,
});

const columns = Object.keys(userReceipt.shape);

export interface RunReceiptRoutesDeps {
  reports: RunReports;
  receipts: Pick<ReceiptStore, 'list'>;
  /** Store that reads over the connections for exports. */
  heavyReceipts: Pick<ReceiptStore, 'list'>;
}

export function runReceiptRoutes(server: HttpServer, { reports, receipts, heavyReceipts }: RunReceiptRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/receipts',
    config: { role: 'viewer', scope: 'users', heavy: 'exports', audit: 'exported the receipts of a run' },
    schema: {
      operationId: 'listRunReceipts',
      summary: 'List delivery receipts of accepted users',
      description:
        `The last receipt of each user: by page, or all as a stream with \`Accept: ${csv}\` or \`${ndjson}\`; ` +
        '`status=undelivered` lists only undelivered ones. After their deletion: 409 `receipts-not-kept`; the report keeps ' +
        'the figures. In CSV, a text that a spreadsheet would read as a formula gets an apostrophe ' +
        'in front; programs use `raw=true`.',
      tags: ['runs', 'receipts'],
      params: z.object({ id: z.string().describe('run_…') }),
      querystring: receiptQuery,
      response: {
        200: {
          description: 'A page of receipts, or all receipts',
          content: {
            'application/json': { schema: pageShape(userReceipt) },
            [csv]: streamed,
            [ndjson]: streamed,
          },
        },
        ...problems(409),
      },
    },
    handler: async ({ params: { id }, query, headers, method }, reply) => {
      const { limit, cursor, format, raw, for: reader, status, ...places } = query;
      const runId = requireId('run', id);
      const filter = { ...places, delivered: status === undefined ? undefined : status === 'delivered' };
      return answerList(
        reply,
        { accept: headers.accept, format, method, limit, cursor, raw, reader },
        {
          fileName: `${id}-receipts`,
          columns,
          requireSubject: async () => {
            const snapshot = await reports.snapshot(runId);
            if (!snapshot) throw notFound('run', id);
            if (snapshot.receiptsDeletedAt) throw receiptsNotKept(id, snapshot.receiptsDeletedAt);
          },
          pageOf: (size, from, isFile) => (isFile ? heavyReceipts : receipts).list(runId, filter, size, from),
          view: receiptView,
        },
      );
    },
  });
}

function receiptsNotKept(id: string, deletedAt: Date): HttpProblem {
  const detail = `the receipts of ${id} were deleted on ${deletedAt.toISOString().slice(0, 10)}; its report keeps the figures`;
  return new HttpProblem({ status: 409, code: 'receipts-not-kept', detail });
}
