import type { ClaimedJob } from '../../services/dispatcher/ports/call-ledger.ts';
import { clientIdOf, jobIdOf } from './conformance/job-subject.ts';

/** Returns a job as a dispatcher claims it: due at once, with its first attempt and the terms of its client. */
export function claimedJob(over: Partial<ClaimedJob> = {}): ClaimedJob {
  return {
    partition: 0,
    dueUs: 0,
    jobId: jobIdOf(1),
    clientId: clientIdOf(1),
    epoch: 1,
    attempt: 1,
    scheduledForMs: 0,
    claimedAtMs: 0,
    expiresInMs: null,
    method: 'POST',
    url: 'https://one.example/',
    headers: null,
    body: null,
    repeats: null,
    terms: null,
    orderingKey: null,
    exclusiveMs: null,
    report: null,
    ...over,
  };
}
