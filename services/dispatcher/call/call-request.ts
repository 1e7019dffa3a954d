import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import type { CallTemplate } from '../../../shared/contracts/jobs/call-terms.ts';
import { webhookHeaders } from '../../../shared/domain/endpoint/standard-webhooks.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { fillHeader, fillTemplate, type TemplateValues } from '../../../shared/domain/job/call-template.ts';
import { attemptOf, heldUntilMs, type HeldJob } from '../jobs/held-job.ts';
import type { Callback } from '../ports/callback-endpoint.ts';
import type { Authorization, CallAuth } from '../ports/client-terms.ts';
import type { OpenedCall } from './call-opener.ts';
import type { CallTerms } from './own-terms.ts';
import type { ReportInviter } from './report-inviter.ts';
import { secretsIn } from './without-secrets.ts';

type Unsent = Extract<Authorization, { kind: 'unsent' }>;

/**
 * Returns the request of a job with its template filled in. Between the attempts of a job, only the attempt number in
 * the template differs.
 */
export function filledCall(
  opened: OpenedCall | Unsent,
  job: HeldJob,
  template: CallTemplate | undefined,
): OpenedCall | Unsent {
  if (template === undefined || opened.kind === 'unsent') return opened;
  const values: TemplateValues = {
    scheduledFor: new Date(job.scheduledForMs).toISOString(),
    ...template.values,
    jobId: publicId('job', job.jobId),
    attempt: String(attemptOf(job)),
  };
  const headers = opened.headers.map((text, place) => (place % 2 === 0 ? text : fillHeader(text, values)));
  const secrets = [...opened.secrets, ...secretsIn(headers)];
  const body = job.body === null ? {} : { body: fillTemplate(job.body, values, template.form) };
  return { ...opened, headers, secrets, ...body };
}

/**
 * Adds the report URL and the client's authorization to a call. Returns a promise only if the client's authorization
 * applies to the call.
 */
export function completeCall(
  request: OpenedCall | Unsent,
  job: HeldJob,
  terms: CallTerms,
  inviter: ReportInviter,
): OpenedCall | Unsent | Promise<OpenedCall | Unsent> {
  const { auth } = terms;
  const invited = withInvitation(request, job, terms, inviter);
  if (!auth?.origins.has(job.origin) || invited.kind === 'unsent') return invited;
  return auth.isForAll || !invited.hasAuthorization ? withAuthorisation(invited, auth) : invited;
}

function withInvitation(
  opened: OpenedCall | Unsent,
  job: HeldJob,
  { reportWithinMs }: CallTerms,
  inviter: ReportInviter,
): OpenedCall | Unsent {
  const isTopic = topicOf(job.origin) !== undefined;
  if (reportWithinMs === null || isTopic || opened.kind === 'unsent') return opened;
  const invitation = inviter.invite(job, reportWithinMs);
  if (invitation.kind === 'unsent') return invitation;
  const { headers, secrets } = invitation;
  return { ...opened, headers: [...opened.headers, ...headers], secrets: [...opened.secrets, ...secrets] };
}

async function withAuthorisation(opened: OpenedCall, auth: CallAuth): Promise<OpenedCall | Unsent> {
  const given = await auth.authorization();
  if (given.kind === 'unsent') return given;
  const headers = [...opened.headers, 'authorization', given.value];
  return { ...opened, headers, secrets: [...opened.secrets, given.value, ...given.secrets] };
}

export function authorisationIn(sent: OpenedCall | Unsent): string {
  return sent.kind === 'opened' ? (sent.headers[sent.headers.indexOf('authorization') + 1] ?? '') : '';
}

/**
 * @param nowMs monotonic time
 * @param aliveUntilMs monotonic time from which other dispatchers may claim the jobs of this one
 */
export function callbackOf(
  job: HeldJob,
  opened: OpenedCall,
  { limits, timeoutMs, sign }: CallTerms,
  { nowMs, aliveUntilMs }: { nowMs: number; aliveUntilMs: number },
): Callback {
  const { method, origin } = job;
  const { path, headers } = opened;
  const text = opened.body ?? job.body;
  const body = text === null ? null : Buffer.from(text);
  const id = publicId('job', job.jobId);
  const timestamp = Math.floor((nowMs + job.clockAheadMs) / 1000);
  const signatures = sign(id, timestamp, body ?? Buffer.alloc(0));
  const attempt = String(attemptOf(job));
  headers.push(webhookHeaders.id, id, webhookHeaders.timestamp, String(timestamp), 'muster-attempt', attempt);
  if (job.repeats !== null) headers.push('muster-repeats', publicId('job', job.repeats));
  if (signatures.length > 0) headers.push(webhookHeaders.signature, signatures.join(' '));
  const notAfterMs = Math.min(heldUntilMs(job) - timeoutMs, aliveUntilMs);
  if (topicOf(origin) === undefined) return { limits, method, origin, path, headers, body, timeoutMs, notAfterMs };
  if (!headers.includes(scheduledForHeader))
    headers.push(scheduledForHeader, new Date(job.scheduledForMs).toISOString());
  return { limits, method, origin, path, headers, body, key: job.orderingKey ?? id, timeoutMs, notAfterMs };
}

/** Header with the scheduled time, sent with jobs that a schedule created. */
const scheduledForHeader = 'muster-scheduled-for';
