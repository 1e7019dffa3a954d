import { Readable } from 'node:stream';
import { z } from 'zod';
import { pageLimit, pageQuery, pageShape } from './contracts/pages.ts';
import { userFailureShape } from '../../shared/contracts/runs.ts';
import { countryPattern } from '../../shared/domain/shard.ts';
import { isStorable } from '../../shared/domain/stored-text.ts';
import { problems, streamed } from './http/answer-shapes.ts';
import type { HttpServer } from './http/create-http-server.ts';
import { invalidRequest, notFound } from './http/http-problem.ts';
import { preferredType } from './http/preferred-type.ts';
import type { RunReports } from './ports/run-reports.ts';
import { refusingInvalidCursor, requireId } from './public-ids.ts';
import { allRows, csvStream, ndjsonStream } from './stream-rows.ts';
import { failureView } from './views/failure.ts';

const csv = 'text/csv';
const ndjson = 'application/x-ndjson';

const failureQuery = pageQuery.extend({
  limit: pageLimit.optional().describe('100 when absent'),
  step: z.coerce.number().int().min(1).max(20).optional(),
  country: z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG').optional(),
  outcome: z
    .enum(['failed', 'unknown'])
    .optional()
    .describe('unknown: nobody knows yet whether the endpoint applied it'),
  raw: z
    .enum(['true', 'false'])
    .optional()
    .describe('With CSV: true leaves texts that a spreadsheet takes for formulas as they are'),
  for: z
    .enum(['excel'])
    .optional()
    .describe('With CSV: begins with a UTF-8 byte order mark, without which Excel misreads é'),
  reason: z.string().min(1).max(200).refine(isStorable, 'holds what no reason can').optional(),
});

const columns = Object.keys(userFailureShape.shape);
const ordinaryPage = 100;
const streamedPage = 1000;

export function failureRoutes(server: HttpServer, { reports }: { reports: RunReports }): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/failures',
    schema: {
      operationId: 'listRunFailures',
      summary: 'Users that failed, with the reason',
      description:
        `By page, or all of them as a stream with \`Accept: ${csv}\` or \`${ndjson}\`; user ids as they are, untouched, except ` +
        'that in CSV a text that a spreadsheet would take for a formula gets an apostrophe in front; programs ask for `raw=true`.',
      tags: ['runs'],
      params: z.object({ id: z.string().describe('run_…') }),
      querystring: failureQuery,
      response: {
        200: {
          description: 'A page of failures, or all of them',
          content: {
            'application/json': { schema: pageShape(userFailureShape) },
            [csv]: streamed,
            [ndjson]: streamed,
          },
        },
        ...problems(401, 404, 422, 429),
      },
    },
    handler: async ({ params: { id }, query, headers, method }, reply) => {
      const { limit, cursor, raw, for: reader, ...filter } = query;
      const runId = requireId('run', id);
      const type = preferredType(headers.accept, ['application/json', csv, ndjson]);
      const asStream = type !== 'application/json';
      if (asStream) refuseGiven({ limit, cursor }, notWithStream);
      if (type !== csv) refuseGiven({ raw, for: reader }, onlyWithCsv);
      if (!(await reports.snapshot(runId))) throw notFound('run', id);
      const size = asStream ? streamedPage : (limit ?? ordinaryPage);
      const first = await refusingInvalidCursor(cursor, () => reports.failures(runId, filter, size, cursor ?? null));
      reply.header('vary', 'accept');
      if (!asStream) return reply.send({ items: first.items.map(failureView), next: first.next });

      const rows = allRows(first, (next) => reports.failures(runId, filter, streamedPage, next), failureView);
      const manner = { raw: raw === 'true', bom: reader === 'excel' };
      const extension = type === csv ? 'csv' : 'ndjson';
      return reply
        .type(type === csv ? `${csv}; charset=utf-8; header=present` : ndjson)
        .header('content-disposition', `attachment; filename="${id}-failures.${extension}"`)
        .send(
          method === 'HEAD' ? Readable.from([]) : type === csv ? csvStream(rows, columns, manner) : ndjsonStream(rows),
        );
    },
  });
}

/** A stream holds all there is: a limit that it does not keep would be worse than none. */
export const notWithStream = {
  code: 'not-with-stream',
  detail: 'belongs to pages of JSON; a stream holds all that the filter fits',
};

export const onlyWithCsv = { code: 'only-with-csv', detail: `says how CSV is written, and goes with Accept: ${csv}` };

export function refuseGiven(parameters: Record<string, unknown>, why: { code: string; detail: string }): void {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const errors = given.map(([name]) => ({ pointer: `/${name}`, ...why }));
  if (errors.length > 0) throw invalidRequest(errors);
}
