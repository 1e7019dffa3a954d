import { readOwnTerms } from '../../../shared/contracts/jobs/call-terms.ts';
import type { JobShape, JobSummary } from '../../../shared/contracts/jobs/job-shapes.ts';
import { maskUrl } from '../../../shared/contracts/jobs/stored-calls.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { defaultEndpointName } from '../../../shared/domain/job/job-ids.ts';
import { readTraceparent } from '../../../shared/domain/tracing/trace-context.ts';
import { isSampled, traceOfJob } from '../../../shared/domain/tracing/trace-ids.ts';
import { maskHeaders } from './job-content.ts';
import type { JobRecord, WholeJob } from './postgres/job-rows.ts';

export function jobSummaryView(job: JobRecord): JobSummary {
  const { jobId, clientId, state, attempt, method, url, key, tags, scheduleId, repeats, sideline, cause } = job;
  const { endpointName: endpoint = defaultEndpointName, priority = 'normal' } = readOwnTerms(job.terms);
  const id = publicId('job', jobId);
  const client = publicId('client', clientId);
  return {
    id,
    clientId: client,
    state,
    scheduledFor: job.scheduledFor.toISOString(),
    dueAt: job.dueAt?.toISOString() ?? null,
    acceptedAt: job.acceptedAt.toISOString(),
    expiresAt: job.expiresAt?.toISOString() ?? null,
    endedAt: job.endedAt?.toISOString() ?? null,
    attempt,
    endpoint,
    method,
    url: maskUrl(url),
    idempotencyKey: key,
    tags,
    scheduleId: scheduleId === null ? null : publicId('schedule', scheduleId),
    repeats: repeats === null ? null : publicId('job', repeats),
    orderingKey: job.orderingKey,
    ordering: job.inOrder === null ? null : job.inOrder ? 'in-order' : 'exclusive',
    priority,
    sidelinedFor: sideline,
    cause,
    links: { self: `/v1/jobs/${id}`, client: `/v1/clients/${client}` },
  };
}

/**
 * Returns the view of a job.
 * @param withContent true if the view includes body and answers
 * @param share share of jobs whose traces are recorded, from 0 to 1
 */
export function jobView(job: WholeJob, withContent: boolean, share: number): JobShape {
  const { headers, body, terms, attempts } = job;
  const {
    retry = null,
    timeoutMs = null,
    finalCodes = null,
    reportWithinSeconds = null,
    template,
    trace,
  } = readOwnTerms(terms);
  const ofJob = traceOfJob(job.jobId);
  const traceId = trace ? readTraceparent(trace.parent)?.traceId : isSampled(ofJob, share) ? ofJob : undefined;
  return {
    ...jobSummaryView(job),
    headers: maskHeaders(headers),
    template: template !== undefined,
    ...(traceId !== undefined && { traceId }),
    body: withContent ? body : null,
    withheld: !withContent,
    retry,
    timeoutMs,
    finalCodes,
    reportWithinSeconds,
    attempts: attempts.map(({ at, answer, ...rest }) => ({
      ...rest,
      at: at.toISOString(),
      answer: withContent ? answer : null,
    })),
  };
}
