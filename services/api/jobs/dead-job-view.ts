import type { DeadJobContentShape, DeadJobGroupShape, DeadJobShape } from '../../../shared/contracts/jobs/dead-jobs.ts';
import { shownUrl } from '../../../shared/contracts/jobs/stored-calls.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { shownHeaders } from './job-content.ts';
import type { DeadJob, DeadJobContent, DeadJobGroup } from './postgres/dead-job-store.ts';

export function deadJobView(job: DeadJob): DeadJobShape {
  const { jobId, clientId, cause, diedAt, scheduledFor, expiresAt, expired, attempt, method, url, status } = job;
  return {
    id: publicId('job', jobId),
    clientId: publicId('client', clientId),
    cause,
    diedAt: diedAt.toISOString(),
    scheduledFor: scheduledFor.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    expired,
    attempts: attempt,
    method,
    url: shownUrl(url),
    status,
  };
}

/** @param withContent body and answer too */
export function deadJobContentView(job: DeadJobContent, withContent: boolean): DeadJobContentShape {
  const { headers, body, answer, key, tags } = job;
  return {
    ...deadJobView(job),
    headers: shownHeaders(headers),
    body: withContent ? body : null,
    withheld: !withContent,
    answer: withContent ? answer : null,
    idempotencyKey: key,
    tags: [...tags],
  };
}

export function deadJobGroupView({ clientId, cause, jobs, firstAt, lastAt }: DeadJobGroup): DeadJobGroupShape {
  const id = publicId('client', clientId);
  return { clientId: id, cause, jobs, firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
}
