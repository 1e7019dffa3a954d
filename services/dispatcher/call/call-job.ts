import { readOwnTerms, type CallerTrace, type CallTemplate } from '../../../shared/contracts/jobs/call-terms.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { webhookHeaders } from '../../../shared/domain/endpoint/standard-webhooks.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { circuitHostOf } from '../jobs/circuit-host.ts';
import { longestSlotWaitMs } from '../jobs/claimed-jobs.ts';
import { attemptOf, filledCall } from './filled-call.ts';
import type { HeldJob } from '../jobs/held-job.ts';
import { traceCall, type JobTrace, type TraceCallDeps } from './job-traces.ts';
import { judgeReport } from './judge-report.ts';
import type { RouteCallEnd } from '../routes/route-lines.ts';
import type { ReportInviter } from './report-inviter.ts';
import { causeOf, isSuccess, judgeAnswer, signOf } from './judge-answer.ts';
import type { HostSign } from '../routes/host-breaker.ts';
import type { CallNote, JobVerdict } from '../ports/call-ledger.ts';
import type { Callback, CallbackAnswer, CallbackEndpoint } from '../ports/callback-endpoint.ts';
import type { Authorization, CallAuth, ClientDirectory, ClientTerms } from '../ports/client-terms.ts';
import type { CallOpener, OpenedCall } from './call-opener.ts';
import { storableText, withoutSecrets } from './without-secrets.ts';

/**
 * What a call may take beyond its time-out: the deadline is looked at now and then, and what it brought has to be
 * written.
 */
const callMarginMs = 1000;
/** Longest time from a claim to its call: the wait for a slot, and a second for the claim and an access token. */
const waitMs = longestSlotWaitMs + 1000;
/** So long after its time, a job whose client is unknown is given up. */
const unknownForMs = 60_000;
/** Jobs of a client or an endpoint that is disabled wait under this name, for all of its hosts. */
export const everyHost = '*';

export interface CallJobDeps extends TraceCallDeps {
  endpoint: CallbackEndpoint;
  clients: ClientDirectory;
  opener: CallOpener;
  inviter: ReportInviter;
  /** Returns why the job is not called now, by what its route and its host have met; null: it may be called. */
  refusalOf: (job: HeldJob, host: string) => JobVerdict | null;
  /** True if the job is called although its host is disabled. */
  isFirstHand: (job: HeldJob) => boolean;
  /** From then on others may have what is held here: nothing more is called. */
  aliveUntilMs: () => number;
  clock: Clock;
}

/** How long a claim has to last so that a call with this time-out can begin under it. */
export function leaseFor({ timeoutMs }: Pick<ClientTerms['limits'], 'timeoutMs'>): number {
  return timeoutMs + callMarginMs + waitMs;
}

/** What became of a held job. */
export interface JobCall {
  job: HeldJob;
  verdict: JobVerdict;
  note: CallNote;
  /** What it was called at, as circuits name it. */
  host: string;
  /** What the call told of its host; `none` where there was none. */
  sign: HostSign;
  terms: ClientTerms | undefined;
  /** End of the call as its route sees it; null, or absent, if none was made. */
  routeEnd?: RouteCallEnd | null;
  /** Null, or absent, where nothing is recorded of it. */
  trace?: JobTrace | null;
}

/** One call of one job, or why there is none. Never throws. */
export async function callJob(job: HeldJob, deps: CallJobDeps): Promise<JobCall> {
  const ofClient = deps.clients.termsOf(job.clientId);
  const terms = ofClient && withOwnTerms(ofClient, job);
  if (!terms) return withoutCall(job, withoutTerms(job, deps), terms);
  // It was checked when it was accepted; what slipped through must not end the process.
  if (job.host === '') return withoutCall(job, { kind: 'dead', cause: 'its URL cannot be read' }, terms);
  const expiresInMs = job.expiresAtMs - deps.clock.monotonicMs();
  if (job.report !== null) {
    const { attempt, report } = job;
    const judged = judgeReport(report, { attempt, expiresInMs }, terms, deps.random());
    return { ...withoutCall(job, judged.verdict, terms), note: judged.note };
  }
  const opened = filledCall(deps.opener.open({ ...job, clientId: terms.ownerId }), job, terms.template);
  const path = opened.kind === 'opened' ? opened.path : job.path;
  const host = job.probeOf ?? circuitHostOf({ host: job.host, path }, terms.sideline.pathPrefixes);
  const refusal = refusalOf(job, host, terms, deps);
  if (refusal) return withoutCall(job, refusal, terms);

  const { auth } = terms;
  const invited = withInvitation(opened, job, terms, deps.inviter);
  const sent =
    auth?.origins.has(job.origin) && invited.kind === 'opened' && (auth.isForAll || !invited.hasAuthorization)
      ? await authorised(invited, auth)
      : invited;
  const lateRefusal = sent === invited ? null : refusalOf(job, host, terms, deps);
  if (lateRefusal) return withoutCall(job, lateRefusal, terms);
  const trace = sent.kind === 'opened' ? traceCall(job, sent.headers, terms.trace, deps) : null;
  const startedMs = deps.clock.monotonicMs();
  const answer = sent.kind === 'unsent' ? sent : await deps.endpoint.call(callbackOf(job, sent, terms, deps));
  const endedMs = deps.clock.monotonicMs();
  if (answer.kind === 'answered' && answer.status === unauthorised && sent !== invited)
    auth?.refused(authorizationIn(sent));

  const lateMs = endedMs + job.clockAheadMs - job.scheduledForMs;
  const judged = { attempt: job.attempt, expiresInMs: job.expiresAtMs - endedMs, lateMs, host };
  const verdict = judgeAnswer(answer, judged, terms, deps.random());
  const note = noteOf(answer, endedMs - startedMs, sent.kind === 'opened' ? sent.secrets : []);
  const sign = signOf(answer);
  // A host that is still down costs no job an attempt; one that answers has said what it makes of this one.
  const isTry = job.probeOf !== null || deps.isFirstHand(job);
  const isUnanswered = isTry && answer.kind === 'unanswered';
  const routeEnd = routeEndOf(answer, sign, endedMs - startedMs >= terms.timeoutMs);
  const decided: JobVerdict = isUnanswered ? { kind: 'sidelined', host } : verdict;
  return { job, host, verdict: decided, note, sign, terms, trace, routeEnd };
}

type CallTerms = ClientTerms & {
  /** Of this call. */
  timeoutMs: number;
  template: CallTemplate | undefined;
  trace: CallerTrace | undefined;
};

/** What a job says itself goes before what its client says. No call outlasts its claim, or it would never begin. */
function withOwnTerms(terms: ClientTerms, job: HeldJob): CallTerms {
  const own = readOwnTerms(job.terms);
  const { retry = terms.retries, finalCodes = terms.finalCodes, timeoutMs, reportWithinSeconds, template, trace } = own;
  const ownMs = timeoutMs === undefined ? terms.limits.timeoutMs : Math.min(timeoutMs, longestCallMs(job));
  const reportWithinMs = reportWithinSeconds === undefined ? terms.reportWithinMs : reportWithinSeconds * 1000;
  return { ...terms, retries: retry, finalCodes, reportWithinMs, timeoutMs: ownMs, template, trace };
}

function longestCallMs({ leaseMs }: HeldJob): number {
  return leaseMs - callMarginMs - waitMs;
}

/** With where to report later, where its receiver may. */
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

/** With what its client has for this server: the job says nothing itself. */
async function authorised(opened: OpenedCall, auth: CallAuth): Promise<OpenedCall | Unsent> {
  const given = await auth.authorization();
  if (given.kind === 'unsent') return given;
  const headers = [...opened.headers, 'authorization', given.value];
  return { ...opened, headers, secrets: [...opened.secrets, given.value, ...given.secrets] };
}

const unauthorised = 401;

function authorizationIn(sent: OpenedCall | Unsent): string {
  return sent.kind === 'opened' ? (sent.headers[sent.headers.indexOf('authorization') + 1] ?? '') : '';
}

type Unsent = Extract<Authorization, { kind: 'unsent' }>;

/** A client that was just made is known here within a second, and its first job may be due before. */
function withoutTerms(job: HeldJob, { clock }: CallJobDeps): JobVerdict {
  const lateMs = clock.monotonicMs() + job.clockAheadMs - job.scheduledForMs;
  return lateMs > unknownForMs
    ? { kind: 'dead', cause: 'its client or endpoint is gone' }
    : { kind: 'released', delayMs: 500 };
}

/** The relevancy window and everything else that may have changed since the claim: looked at right before the call. */
function refusalOf(job: HeldJob, host: string, terms: CallTerms, deps: CallJobDeps): JobVerdict | null {
  const { heldBecause, timeoutMs } = terms;
  const { clock } = deps;
  const nowMs = clock.monotonicMs();
  if (job.expiresAtMs <= nowMs) return { kind: 'expired' };
  if (heldBecause !== null) return { kind: 'sidelined', host: everyHost };
  const refusal = job.probeOf === null ? deps.refusalOf(job, host) : null;
  if (refusal !== null) return refusal;
  // Another may claim it while this call is under way: it goes back, to be claimed anew with its whole time.
  const heldUntilMs = Math.min(job.leaseUntilMs, job.aloneUntilMs);
  if (heldUntilMs - nowMs < timeoutMs + callMarginMs) return { kind: 'released', delayMs: 0 };
  if (deps.aliveUntilMs() <= nowMs) return { kind: 'released', delayMs: 0 };
  return null;
}

function callbackOf(
  job: HeldJob,
  opened: OpenedCall,
  { limits, timeoutMs, sign }: CallTerms,
  deps: CallJobDeps,
): Callback {
  const { method, origin } = job;
  const { path, headers } = opened;
  const text = opened.body ?? job.body;
  const body = text === null ? null : Buffer.from(text);
  const id = publicId('job', job.jobId);
  const timestamp = Math.floor((deps.clock.monotonicMs() + job.clockAheadMs) / 1000);
  const signatures = sign(id, timestamp, body ?? Buffer.alloc(0));
  const attempt = String(attemptOf(job));
  headers.push(webhookHeaders.id, id, webhookHeaders.timestamp, String(timestamp), 'muster-attempt', attempt);
  if (job.repeats !== null) headers.push('muster-repeats', publicId('job', job.repeats));
  if (signatures.length > 0) headers.push(webhookHeaders.signature, signatures.join(' '));
  const heldUntilMs = Math.min(job.leaseUntilMs, job.aloneUntilMs);
  const notAfterMs = Math.min(heldUntilMs - timeoutMs, deps.aliveUntilMs());
  if (topicOf(origin) === undefined) return { limits, method, origin, path, headers, body, timeoutMs, notAfterMs };
  if (!headers.includes(scheduledForHeader))
    headers.push(scheduledForHeader, new Date(job.scheduledForMs).toISOString());
  return { limits, method, origin, path, headers, body, key: job.orderingKey ?? id, timeoutMs, notAfterMs };
}

/** Occurrences of schedules have it. */
const scheduledForHeader = 'muster-scheduled-for';

const tooMany = 429;

function routeEndOf(answer: CallbackAnswer, sign: HostSign, isTimedOut: boolean): RouteCallEnd | null {
  if (sign === 'none') return null;
  if (sign !== 'fails') return { end: 'answered', pressure: null, retryAfterMs: null };
  if (answer.kind !== 'answered')
    return { end: 'unanswered', pressure: isTimedOut ? 'timed-out' : null, retryAfterMs: null };
  const pressure = answer.status === tooMany ? 'throttled' : null;
  return { end: 'unanswered', pressure, retryAfterMs: answer.retryAfterMs };
}

/** @param secrets what was sent and must not be kept */
function noteOf(answer: CallbackAnswer, latencyMs: number, secrets: readonly string[]): CallNote {
  if (answer.kind === 'unsent') return { ...noCall, error: causeOf(answer) };
  if (answer.kind !== 'answered') return { status: null, latencyMs, error: causeOf(answer), answer: null };
  const { status, body } = answer;
  const text = body.length === 0 ? null : withoutSecrets(storableText(body), secrets);
  return { status, latencyMs, error: isSuccess(status) ? null : causeOf(answer), answer: text };
}

const noCall: CallNote = { status: null, latencyMs: null, error: null, answer: null };

function withoutCall(job: HeldJob, verdict: JobVerdict, terms: ClientTerms | undefined): JobCall {
  return { job, host: job.host, verdict, note: noCall, sign: 'none', terms };
}
