import type {
  QuarantinedJobDetail,
  QuarantinedJobGroupShape,
  QuarantinedJobShape,
} from '../../../shared/contracts/quarantine/jobs.ts';
import { maskUrl } from '../../../shared/contracts/jobs/stored-calls.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { maskHeaders } from '../jobs/job-content.ts';
import type { DeadJob, DeadJobContent, DeadJobGroup } from '../jobs/parts.ts';

export function jobView(job: DeadJob): QuarantinedJobShape {
  const { jobId, clientId, cause, diedAt, scheduledFor, expiresAt, expired, attempt, method, url, status } = job;
  return {
    kind: 'job',
    id: publicId('job', jobId),
    reason: cause,
    state: 'kept',
    since: diedAt.toISOString(),
    decidedAt: null,
    clientId: publicId('client', clientId),
    scheduledFor: scheduledFor.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    expired,
    attempts: attempt,
    method,
    url: maskUrl(url),
    status,
  };
}

/**
 * Returns the view of a dead job.
 * @param withContent true if the view includes body and answer
 */
export function jobDetailView(job: DeadJobContent, withContent: boolean): QuarantinedJobDetail {
  const { headers, body, answer, key, tags } = job;
  return {
    ...jobView(job),
    headers: maskHeaders(headers),
    body: withContent ? body : null,
    withheld: !withContent,
    answer: withContent ? answer : null,
    idempotencyKey: key,
    tags: [...tags],
  };
}

export function jobGroupView({ clientId, cause, jobs, firstAt, lastAt }: DeadJobGroup): QuarantinedJobGroupShape {
  const times = { firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
  return { kind: 'job', reason: cause, items: jobs, ...times, clientId: publicId('client', clientId) };
}
