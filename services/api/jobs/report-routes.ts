import { z } from 'zod';
import { jobReport, jobReported, type JobReport } from '../../../shared/contracts/jobs/job-reports.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { openReportToken } from '../../../shared/runtime/installation/report-tokens.ts';
import { HttpProblem, notFound } from '../frame/http-problem.ts';
import { requireId } from '../frame/public-ids.ts';
import { sealing } from '../frame/sealing.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { apiMetrics } from '../frame/metrics.ts';
import type { JobReports, ReportVerdict } from './postgres/job-reports.ts';

export interface ReportRoutesDeps {
  jobReports: JobReports;
  secretBox: SecretBox;
  meter?: Meter | undefined;
}

/**
 * Registers the routes for reports of receivers that answered 202. A receiver authenticates with the token of its call
 * instead of an API key, so there is no audit entry and no rate limit by key. An invalid token is refused without a
 * query of the database.
 */
export function reportRoutes(server: HttpServer, { jobReports, secretBox, meter }: ReportRoutesDeps): void {
  const reports = meter?.counter(apiMetrics.reports);
  server.route({
    method: 'POST',
    url: '/jobs/:id/report',
    config: { role: 'anybody', isFrequent: true, rateLimit: false },
    schema: {
      operationId: 'reportJob',
      summary: 'Report the result of a call that was answered with 202',
      description:
        'For the receiver, with the token of the call (`muster-report-token`) as bearer token, within the time ' +
        'limit. A repeated report changes nothing. 409 `report-too-early`: the answer of the call is not stored yet, send ' +
        'the report again; `report-too-late`: the job has ended otherwise, or a later attempt has begun.',
      tags: ['jobs'],
      security: [],
      params: z.object({ id: z.string().describe('job_…') }),
      headers: z.looseObject({ authorization: z.string().optional().describe('Bearer and the token of the call') }),
      body: jobReport,
      response: { 200: jsonAnswer('Effect of the report', jobReported), ...problems(401, 404, 409) },
    },
    // The token is checked before the body is read, because anyone can send a body.
    onRequest: ({ params: { id }, headers: { authorization } }) => {
      attemptOf(secretBox, id, authorization);
      return Promise.resolve();
    },
    handler: async ({ params: { id }, headers: { authorization }, body }) => {
      const { jobId, attempt } = attemptOf(secretBox, id, authorization);
      const verdict = await jobReports.report(jobId, attempt, body);
      reports?.of({ verdict: verdict.kind }).add();
      return { id, result: resultOf(id, verdict, body) };
    },
  });
}

/**
 * Returns the attempt in the token.
 * @throws {HttpProblem} 401 if the token is missing or belongs to another job
 */
function attemptOf(secretBox: SecretBox, id: string, authorization = '') {
  const token = /^Bearer (\S{1,400})$/i.exec(authorization)?.[1];
  if (token === undefined) throw noToken(id);
  const jobId = requireId('job', id);
  const attempt = sealing(() => openReportToken(secretBox, jobId, token));
  if (attempt === undefined) throw noToken(id);
  return { jobId, attempt };
}

function resultOf(id: string, verdict: ReportVerdict, { outcome }: JobReport): 'called' | 'failed' | 'unchanged' {
  switch (verdict.kind) {
    case 'taken':
      return outcome === 'done' ? 'called' : 'failed';
    case 'unchanged':
      return 'unchanged';
    case 'being-called': {
      const detail = `the answer of this call of ${id} is not stored yet: send the report again`;
      throw new HttpProblem({ status: 409, code: 'report-too-early', detail, headers: { 'retry-after': '1' } });
    }
    case 'later-attempt':
      throw tooLate(`attempt ${verdict.attempt} of ${id} is the current one, and this is the report of an earlier one`);
    case 'ended':
      throw tooLate(`${id} has ended as ${verdict.outcome}`);
    case 'missing':
      throw notFound('job', id);
  }
}

function tooLate(detail: string): HttpProblem {
  return new HttpProblem({ status: 409, code: 'report-too-late', detail });
}

function noToken(id: string): HttpProblem {
  const detail = `a report of ${id} needs the token of its call, as Authorization: Bearer`;
  return new HttpProblem({ status: 401, code: 'bad-token', detail });
}
