import { stringify } from 'csv-stringify';
import { pipeline, Readable } from 'node:stream';
import { z } from 'zod';
import { pageLimit, pageQuery, pageShape } from './contracts/pages.ts';
import { userFailureShape, type UserFailureShape } from '../../shared/contracts/runs.ts';
import { countryPattern } from '../../shared/domain/shard.ts';
import { isStorable } from '../../shared/domain/stored-text.ts';
import { problems, streamed } from './http/answer-shapes.ts';
import type { HttpServer } from './http/create-http-server.ts';
import { invalidRequest, notFound } from './http/http-problem.ts';
import { preferredType } from './http/preferred-type.ts';
import type { Page } from './ports/campaign-store.ts';
import type { RecordedFailure, RunReports } from './ports/run-reports.ts';
import { refusingInvalidCursor, requireId } from './public-ids.ts';
import { failureView } from './views/failure.ts';

const csv = 'text/csv';
const ndjson = 'application/x-ndjson';

const failureQuery = pageQuery.extend({
  limit: pageLimit.optional().describe('100 when absent'),
  step: z.coerce.number().int().min(1).max(20).optional(),
  country: z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG').optional(),
  reason: z.string().min(1).max(200).refine(isStorable, 'holds what no reason can').optional(),
});

const ordinaryPage = 100;
const streamedPage = 1000;

export function failureRoutes(server: HttpServer, { reports }: { reports: RunReports }): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/failures',
    schema: {
      operationId: 'listRunFailures',
      summary: 'Users that failed, with the reason',
      description: `By page, or all of them as a stream with \`Accept: ${csv}\` or \`${ndjson}\`; user ids as they are, untouched.`,
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
    handler: async ({ params: { id }, query: { limit, cursor, ...filter }, headers }, reply) => {
      const runId = requireId('run', id);
      const type = preferredType(headers.accept, ['application/json', csv, ndjson]);
      const asStream = type !== 'application/json';
      if (asStream) refusePaging({ limit, cursor });
      if (!(await reports.snapshot(runId))) throw notFound('run', id);
      const size = asStream ? streamedPage : (limit ?? ordinaryPage);
      const first = await refusingInvalidCursor(cursor, () => reports.failures(runId, filter, size, cursor ?? null));
      reply.header('vary', 'accept');
      if (!asStream) return reply.send({ items: first.items.map(failureView), next: first.next });

      const rows = allFailures(first, (next) => reports.failures(runId, filter, streamedPage, next));
      const extension = type === csv ? 'csv' : 'ndjson';
      return reply
        .type(type === csv ? `${csv}; charset=utf-8; header=present` : ndjson)
        .header('content-disposition', `attachment; filename="${id}-failures.${extension}"`)
        .send(type === csv ? csvOf(rows) : Readable.from(linesOf(rows)));
    },
  });
}

/** A stream holds all there is: a limit that it does not keep would be worse than none. */
function refusePaging(paging: { limit: number | undefined; cursor: string | undefined }): void {
  const given = Object.entries(paging).filter(([, value]) => value !== undefined);
  const detail = 'belongs to pages of JSON; a stream holds all failures that the filter fits';
  const errors = given.map(([name]) => ({ pointer: `/${name}`, code: 'not-with-stream', detail }));
  if (errors.length > 0) throw invalidRequest(errors);
}

async function* allFailures(
  first: Page<RecordedFailure>,
  pageBehind: (cursor: string) => Promise<Page<RecordedFailure>>,
): AsyncGenerator<UserFailureShape, void> {
  let page = first;
  for (;;) {
    yield* page.items.map(failureView);
    if (page.next === null) return;
    page = await pageBehind(page.next);
  }
}

async function* linesOf(rows: AsyncIterable<UserFailureShape>): AsyncGenerator<string, void> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** The rows of RFC 4180. An error on the way destroys the stream, so that what was cut does not look complete. */
function csvOf(rows: AsyncIterable<UserFailureShape>): Readable {
  const formatted = stringify({
    header: true,
    columns: Object.keys(userFailureShape.shape),
    record_delimiter: 'windows',
  });
  return pipeline(Readable.from(rows), formatted, () => undefined);
}
