import { z } from 'zod';
import { answerList, csv, streamManner, ndjson } from '../../frame/streams/answer-list.ts';
import { pageLimit, pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { ownOutcomes } from '../../../../shared/domain/step/outcomes.ts';
import { userFailureShape } from '../../../../shared/contracts/runs/runs.ts';
import { instant } from '../../../../shared/contracts/instants.ts';
import { countryPattern } from '../../../../shared/domain/endpoint/shard.ts';
import { streamed } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { notFound } from '../../frame/http-problem.ts';
import type { RunReports } from '../run-reports.port.ts';
import { requireId } from '../../frame/public-ids.ts';
import { failureView } from './failure-view.ts';
import { textShape } from '../../../../shared/contracts/stored-texts.ts';

const failureQuery = pageQuery.extend({
  limit: pageLimit.optional().describe('Default: 100'),
  q: textShape(200, 1).optional().describe('Beginning of the user id'),
  step: z.coerce.number().int().min(1).max(20).optional(),
  country: z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG').optional(),
  outcome: z
    .enum(ownOutcomes)
    .optional()
    .describe(
      'suppressed: a rule prevented the call. unknown: it is not known yet whether the endpoint applied the call',
    ),
  batch: z.coerce.number().int().min(0).max(0x7fffffff).optional().describe('Number of the batch, as in the failures'),
  failedFrom: instant.optional(),
  failedUntil: instant.optional().describe('Not included'),
  ...streamManner,
  reason: textShape(200, 1).optional(),
});

const columns = Object.keys(userFailureShape.shape);

export interface FailureRoutesDeps {
  reports: RunReports;
  heavyRuns: { reports: RunReports };
}

export function failureRoutes(server: HttpServer, { reports, heavyRuns }: FailureRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/failures',
    config: { role: 'viewer', scope: 'users', heavy: 'exports', audit: 'exported the failures of a run' },
    schema: {
      operationId: 'listRunFailures',
      summary: 'List failed, suppressed and unknown users with reasons',
      description:
        `By page, or all as a stream with \`Accept: ${csv}\` or \`${ndjson}\`. User ids are unchanged, except ` +
        'that in CSV a text that a spreadsheet would read as a formula gets an apostrophe in front; programs use `raw=true`.',
      tags: ['runs'],
      params: z.object({ id: z.string().describe('run_…') }),
      querystring: failureQuery,
      response: {
        200: {
          description: 'A page of failures, or all failures',
          content: {
            'application/json': { schema: pageShape(userFailureShape) },
            [csv]: streamed,
            [ndjson]: streamed,
          },
        },
      },
    },
    handler: async ({ params: { id }, query, headers, method }, reply) => {
      const { limit, cursor, format, raw, for: reader, failedFrom, failedUntil, ...fields } = query;
      const filter = { ...fields, failedFrom: timeOf(failedFrom), failedUntil: timeOf(failedUntil) };
      const runId = requireId('run', id);
      return answerList(
        reply,
        { accept: headers.accept, format, method, limit, cursor, raw, reader },
        {
          fileName: `${id}-failures`,
          columns,
          requireSubject: async () => {
            if (!(await reports.snapshot(runId))) throw notFound('run', id);
          },
          pageOf: (size, from, isFile) => (isFile ? heavyRuns.reports : reports).failures(runId, filter, size, from),
          view: failureView,
        },
      );
    },
  });
}

function timeOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
