import { Readable } from 'node:stream';
import { z } from 'zod';
import {
  acceptedJob,
  clientRef,
  jobResults,
  maxBulkJobs,
  newJob,
  newJobs,
  type JobResult,
} from '../../../../shared/contracts/jobs/jobs.ts';
import { jobKey, jobKeyPattern } from '../../../../shared/contracts/jobs/job-keys.ts';
import { acceptJob, acceptJobs, type AcceptJobsDeps } from './accept-jobs.ts';
import { callerTraceOf } from './accept-traces.ts';
import { callerOf } from '../../access/scopes.ts';
import { jsonAnswer, streamed } from '../../frame/document/answer-shapes.ts';
import { checkShape } from '../../frame/server/check-shape.ts';
import { rawBody, type HttpServer } from '../../frame/server/create-http-server.ts';
import { invalidRequest } from '../../frame/http-problem.ts';
import { readJob } from './read-job.ts';
import type { RequestedJob } from './read-plain-job.ts';
import { streamJobResults } from './stream-jobs.ts';

const tags = ['jobs'];

const keyed = z.looseObject({
  // The pattern is only documented here. The header is checked where it is used, because a job with its own key ignores
  // the header.
  'idempotency-key': z
    .string()
    .optional()
    .describe('Alternative to idempotencyKey in the body')
    .meta({ pattern: jobKeyPattern.source }),
  traceparent: z
    .string()
    .optional()
    .describe('W3C Trace Context: calls of the job continue this trace; also tracestate'),
});

/**
 * Settings of routes with thousands of requests a second. The requests have no log line, no audit entry and no stored
 * answer, and the rate limits of the client apply instead of those of the key.
 */
const frequent = { role: 'scheduler', scope: 'client', isFrequent: true, rateLimit: false } as const;

const maxBulkBytes = 16 * 1024 * 1024;

const ndjson = 'application/x-ndjson';

export interface AcceptRoutesDeps {
  accepting: AcceptJobsDeps;
}

export async function acceptRoutes(server: HttpServer, { accepting: deps }: AcceptRoutesDeps): Promise<void> {
  server.route({
    method: 'POST',
    url: '/jobs',
    config: { ...frequent, refusals: { 'idempotency-key-reused': 'the key was used for another call of the client' } },
    schema: {
      operationId: 'createJob',
      summary: 'Schedule a callback',
      description:
        'The answer is sent when the job is stored durably. The job is never called before its due time by the database’s clock.',
      tags,
      headers: keyed,
      body: newJob,
      response: {
        200: jsonAnswer('The key was used before for the same call: this is the job of that request', acceptedJob),
        201: jsonAnswer('Stored', acceptedJob),
      },
    },
    // The handler parses the body itself, because that is faster than the validator.
    validatorCompiler: rawBody,
    handler: async (request, reply) => {
      const body: unknown = request.body;
      const { headers } = request;
      const trace = callerTraceOf(headers);
      const wanted = withKey(readJob(body), headers['idempotency-key']);
      const accepted = await acceptJob(trace ? { ...wanted, trace } : wanted, callerOf(request), deps);
      if (!accepted.duplicate) reply.code(201).header('location', accepted.links.self);
      return reply.send(accepted);
    },
  });

  // The route has its own Fastify scope, because no other route accepts streamed lines.
  await server.register((scope: HttpServer) => {
    scope.addContentTypeParser(ndjson, (_request, payload, done) => done(null, payload));
    bulkRoute(scope, deps);
    return Promise.resolve();
  });
}

function withKey(job: RequestedJob, header: string | undefined): RequestedJob {
  if (header === undefined || job.idempotencyKey !== undefined) return job;
  const checked = checkShape(jobKey, header);
  if (checked.ok) return { ...job, idempotencyKey: checked.value };
  throw invalidRequest(checked.problems.map((problem) => ({ ...problem, pointer: '/idempotency-key' })));
}

function bulkRoute(server: HttpServer, deps: AcceptJobsDeps): void {
  server.route({
    method: 'POST',
    url: '/jobs/bulk',
    // A stream of lines is bounded by the limits of the client. It occupies neither a connection nor a slot for heavy
    // requests.
    config: { ...frequent, heavy: 'elsewhere', uploads: { [ndjson]: 'One job per line, as JSON' } },
    bodyLimit: maxBulkBytes,
    schema: {
      operationId: 'createJobs',
      summary: 'Schedule many callbacks',
      description:
        `Up to ${maxBulkJobs} as JSON, with a result for each. For more jobs, use lines of JSON (${ndjson}); the answer has a line with the result of each line as soon ` +
        'as the job is stored. There, ?client= is the client of jobs that name none.',
      tags,
      querystring: z.strictObject({ client: clientRef.optional() }),
      body: newJobs,
      response: {
        200: {
          description: 'Result of each job; a duplicate is not an error',
          content: { 'application/json': { schema: jobResults }, [ndjson]: streamed },
        },
      },
    },
    // The handler validates each job on its own, because an invalid job does not affect the others.
    validatorCompiler: rawBody,
    handler: async (request, reply) => {
      const body: unknown = request.body;
      const { client } = request.query;
      const sender = callerOf(request);
      if (body instanceof Readable) {
        reply.type(ndjson);
        return reply.send(Readable.from(streamJobResults(body, { client, sender }, deps)));
      }
      const { jobs, client: named = client } = readBulk(body);
      const pointerAt = (place: number) => `/jobs/${place}`;
      return summaryOf(await acceptJobs({ values: jobs, client: named, sender, pointerAt }, deps));
    },
  });
}

const bulkShape = newJobs.extend({ jobs: z.array(z.unknown()).min(1).max(maxBulkJobs) });

function readBulk(body: unknown) {
  const checked = checkShape(bulkShape, body ?? {});
  if (checked.ok) return checked.value;
  throw invalidRequest(checked.problems, checked.more);
}

function summaryOf(results: JobResult[]) {
  const count = (status: JobResult['status']) => results.filter((each) => each.status === status).length;
  const [accepted, duplicates] = [count('accepted'), count('duplicate')];
  return { accepted, duplicates, refused: count('refused'), unknown: count('unknown'), results };
}
