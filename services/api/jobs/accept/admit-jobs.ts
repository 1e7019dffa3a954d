import { writeOwnTerms } from '../../../../shared/contracts/jobs/call-terms.ts';
import { jitterMs, jobIdOf } from '../../../../shared/domain/job/job-ids.ts';
import { storedPriority } from '../../../../shared/domain/job/priority-bands.ts';
import { topicOf } from '../../../../shared/contracts/jobs/topic-urls.ts';
import type { Scope } from '../../../../shared/domain/scopes.ts';
import type { Client, ClientEndpoint } from '../../../../shared/ports/clients.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { JobOrdering, JobToStore } from '../../../../shared/ports/job-intake.ts';
import type { SecretBox } from '../../../../shared/runtime/configuration/secret-box.ts';
import { mayHaveSecrets, sealCall, type StoredCall } from '../../../../shared/runtime/installation/call-secrets.ts';
import type { ClientReader } from '../../../../shared/runtime/installation/client-reader.ts';
import { requireNamedClient, requireNamedEndpoint, refreshForEndpoint } from '../../clients/named-client.ts';
import { targetOf } from '../../clients/call-target.ts';
import { egressOf, type ClientEgress } from '../../clients/client-egress.ts';
import { HttpProblem, invalidRequest, quoted } from '../../frame/http-problem.ts';
import { sealing } from '../../frame/sealing.ts';
import { dueTimeOf } from './due-time.ts';
import { headersOf } from './headers-of.ts';
import { noRoom, type JobCapacity, type JobSender } from './job-capacity.ts';
import { templateOfJob } from './templates-of-calls.ts';
import type { RequestedJob } from './read-plain-job.ts';

export interface AdmitJobsDeps {
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  room: JobCapacity;
  secretBox: SecretBox;
  egress: ClientEgress;
  clock: Clock;
}

export interface AdmittedJob {
  client: Client;
  endpoint: ClientEndpoint;
  job: JobToStore;
}

export interface JobAdmission {
  /**
   * Returns the client of a request. Reads the client again if it has no such endpoint, because the endpoint may have
   * just been created.
   * @throws {HttpProblem} 422 if unknown, 403 outside the scope, 409 if disabled
   */
  clientOf(ref: string, scope: Scope, endpoint?: string): Promise<Client>;
  /**
   * Reserves a place within the quotas for a job.
   * @throws {HttpProblem} 422, 429; 409 if the job has secrets and this process cannot store secrets
   */
  admit(client: Client, wanted: RequestedJob, sender: JobSender): AdmittedJob;
}

/** Creates the check that applies a client's limits to its jobs, and that converts the jobs to their stored form. */
export function createJobAdmission({ clients, room, secretBox, egress, clock }: AdmitJobsDeps): JobAdmission {
  return {
    clientOf: async (ref, scope, endpoint) => {
      const client = await refreshForEndpoint(await requireNamedClient(ref, scope, clients), endpoint, clients);
      if (!client.endpoints[0].enabled) throw disabled(client);
      return client;
    },
    admit: (client, wanted, sender) => {
      const endpoint = requireNamedEndpoint(client, wanted.endpoint, '/endpoint');
      const url = targetOf(wanted, endpoint, '/url');
      const forbidden = egress.problemOf(
        egressOf(client, endpoint.terms),
        url,
        topicOf(url) === undefined ? '/url' : '/endpoint',
      );
      if (forbidden) throw invalidRequest([forbidden]);
      if (reportsLater(client, endpoint, wanted)) requireTokens(secretBox);
      const job = jobToStore({ client, endpoint, wanted, url }, clock.now(), secretBox);
      const taken = room.take(client, sender);
      if (taken.kind !== 'room') throw noRoom(client, sender, taken);
      return { client, endpoint, job };
    },
  };
}

interface JobToAdmit {
  client: Client;
  endpoint: ClientEndpoint;
  wanted: RequestedJob;
  url: string;
}

function jobToStore({ client, endpoint, wanted, url }: JobToAdmit, now: Date, secretBox: SecretBox): JobToStore {
  const {
    clientId,
    definition,
    endpoints: [ofDefault],
  } = client;
  const {
    method,
    headers,
    body,
    idempotencyKey = null,
    tags,
    priority,
    retry,
    timeoutMs,
    finalCodes,
    reportWithinSeconds,
    trace,
  } = wanted;
  const template = wanted.template === true ? templateOfJob(wanted) : undefined;
  const { sealPaths = ofDefault.terms.sealPaths } = endpoint.terms;
  const given = { url, headers: headersOf(headers, body) };
  const call: StoredCall = mayHaveSecrets(url, headers, sealPaths)
    ? sealing(() => sealCall(given, { clientId, sealPaths }, secretBox))
    : given;
  const jobId = jobIdOf(clientId, idempotencyKey);
  const relevancySeconds = wanted.relevancySeconds ?? definition.relevancySeconds;
  return {
    jobId,
    clientId,
    key: idempotencyKey,
    ...dueIn(wanted, jobId, now),
    relevancyMs: relevancySeconds === undefined ? null : relevancySeconds * 1000,
    method,
    url: call.url,
    headers: call.headers,
    alike: call.alike,
    body: body?.text ?? null,
    tags: tags === undefined || tags.length === 0 ? null : tags,
    scheduleId: null,
    terms: writeOwnTerms({
      // The terms omit the endpoint if it is the default one, so that most such jobs have no terms at all.
      ...(endpoint !== ofDefault && { endpoint: endpoint.endpointId, endpointName: endpoint.name }),
      priority: storedPriority(priority),
      retry,
      timeoutMs,
      finalCodes,
      template,
      reportWithinSeconds,
      trace,
    }),
    ordering: orderingOf(wanted),
  };
}

function orderingOf({ orderingKey: key, ordering }: RequestedJob): JobOrdering | undefined {
  return key === undefined ? undefined : { key, isInOrder: ordering === 'in-order' };
}

function dueIn(wanted: RequestedJob, jobId: string, now: Date): Pick<JobToStore, 'dueAt' | 'delayMs'> {
  const due = dueTimeOf(wanted, now);
  const laterMs = wanted.jitterSeconds === undefined ? 0 : jitterMs(jobId, wanted.jitterSeconds * 1000);
  if ('delayMs' in due) return { dueAt: null, delayMs: due.delayMs + laterMs };
  return { dueAt: new Date(due.dueAt.getTime() + laterMs), delayMs: 0 };
}

function reportsLater({ endpoints: [ofDefault] }: Client, { terms }: ClientEndpoint, wanted: RequestedJob): boolean {
  const ofEndpoint = terms.reportWithinSeconds ?? ofDefault.terms.reportWithinSeconds;
  return (wanted.reportWithinSeconds ?? ofEndpoint) !== undefined;
}

/**
 * Checks that the key for secrets is configured, because tokens for reports are derived from it.
 * @throws {HttpProblem} 409 otherwise
 */
function requireTokens({ keys }: SecretBox): void {
  if (keys > 0) return;
  const detail = 'MUSTER_SECRETS_KEY is not set here; tokens for reports (reportWithinSeconds) need it';
  throw new HttpProblem({ status: 409, code: 'secrets-not-configured', detail });
}

function disabled({ name, endpoints: [{ disabledReason }] }: Client): HttpProblem {
  const reason = disabledReason === null ? '' : `: ${disabledReason}`;
  return new HttpProblem({
    status: 409,
    code: 'client-disabled',
    detail: `the client ${quoted(name)} is disabled${reason}`,
  });
}
