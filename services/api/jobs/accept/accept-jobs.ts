import type { AcceptedJob, JobResult } from '../../../../shared/contracts/jobs/jobs.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { Client } from '../../../../shared/ports/clients.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Tracing } from '../../../../shared/ports/tracing.ts';
import { recordAccepted } from './accept-traces.ts';
import type { AdmittedJob, JobAdmission } from './admit-jobs.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { HttpProblem, invalidRequest, quoted } from '../../frame/http-problem.ts';
import type { Acceptance, JobAcceptor } from './job-acceptor.ts';
import type { JobCapacity, JobSender } from './job-capacity.ts';
import type { MinuteLoads, Warning } from '../../installation/scheduler/minute-loads.ts';
import { readJob } from './read-job.ts';
import type { RequestedJob } from './read-plain-job.ts';

export interface AcceptJobsDeps {
  admission: JobAdmission;
  acceptor: JobAcceptor;
  room: JobCapacity;
  loads: MinuteLoads;
  clock: Clock;
  tracing?: Tracing | null | undefined;
}

/**
 * Accepts one job.
 * @throws {HttpProblem} if the job is not accepted
 */
export async function acceptJob(wanted: RequestedJob, sender: JobSender, deps: AcceptJobsDeps): Promise<AcceptedJob> {
  const { admission, acceptor, room, loads } = deps;
  const startedMs = deps.clock.monotonicMs();
  const client = await admission.clientOf(wanted.client, sender.scope, wanted.endpoint);
  const admitted = admission.admit(client, wanted, sender);
  const { job } = admitted;
  const acceptance = await acceptor.accept(job).catch((error: unknown) => {
    room.release(client, sender, 1);
    throw error;
  });
  if (acceptance.kind === 'unknown') throw acceptance.problem;
  if (acceptance.kind !== 'accepted') room.release(client, sender, 1);
  if (acceptance.kind === 'reused') throw invalidRequest([reusedKey(acceptance.jobId)]);
  const { kind, jobId, dueAtMs } = acceptance;
  if (kind === 'accepted') recordAccepted(jobId, wanted.trace, startedMs, deps);
  const id = publicId('job', jobId);
  return {
    id,
    clientId: publicId('client', client.clientId),
    dueAt: dueAtMs === null ? null : new Date(dueAtMs).toISOString(),
    duplicate: kind === 'duplicate',
    warnings: kind === 'accepted' ? warningsOf(admitted, dueAtMs, loads) : [],
    links: { self: `/v1/jobs/${id}` },
  };
}

export interface SentJobs {
  values: readonly unknown[];
  /** Client of the jobs that do not state one. */
  client: string | undefined;
  sender: JobSender;
  /**
   * Returns the JSON pointer of a job in the body, which is the prefix of its problems' pointers; empty for NDJSON
   * lines.
   */
  pointerAt: (place: number) => string;
}

/**
 * Accepts many jobs, and returns a result for each in the same order. An invalid job does not affect the others.
 * @throws {HttpProblem} if no job could be stored, for a reason other than invalid jobs
 */
export async function acceptJobs(sent: SentJobs, deps: AcceptJobsDeps): Promise<JobResult[]> {
  const clientOf = rememberClients(deps.admission, sent.sender.scope);
  const read: (AdmittedJob | JobResult)[] = [];
  for (const [place, value] of sent.values.entries()) {
    try {
      const wanted = readJob(value, sent.client);
      const client = clientOf(wanted.client, wanted.endpoint);
      read.push(deps.admission.admit(client instanceof Promise ? await client : client, wanted, sent.sender));
    } catch (error) {
      read.push(refused(error, sent.pointerAt(place)));
    }
  }
  const admitted = read.filter((each) => 'job' in each);
  const acceptances = await storeAll(admitted, sent.sender, deps);
  let next = 0;
  return read.map((each, place) => {
    if (!('job' in each)) return each;
    const acceptance = acceptances[next++];
    if (!acceptance) throw new Error('the store returned fewer results than jobs');
    return resultOf(acceptance, each, { loads: deps.loads, pointerOf: () => sent.pointerAt(place) });
  });
}

/** Caches the clients of the jobs, including unknown ones, so that each is looked up only once. */
function rememberClients(admission: JobAdmission, scope: JobSender['scope']) {
  const known = new Map<string, Client>();
  const requests = new Map<string, Promise<Client>>();
  return (ref: string, endpoint: string | undefined): Client | Promise<Client> => {
    const named = endpoint === undefined ? ref : `${ref} ${endpoint}`;
    const client = known.get(named);
    if (client) return client;
    const request = requests.get(named) ?? admission.clientOf(ref, scope, endpoint);
    requests.set(named, request);
    return request.then((found) => {
      known.set(named, found);
      return found;
    });
  };
}

function warningsOf({ client, endpoint }: AdmittedJob, dueAtMs: number | null, loads: MinuteLoads): Warning[] {
  const target = {
    endpointId: endpoint.endpointId,
    publishRatePerSecond: endpoint.terms.publishRatePerSecond ?? client.endpoints[0].terms.publishRatePerSecond,
  };
  const ofMinute = dueAtMs === null ? [] : loads.add(target, dueAtMs);
  if (endpoint.enabled) return ofMinute;
  const reason = endpoint.disabledReason === null ? '' : `: ${endpoint.disabledReason}`;
  const detail = `the endpoint ${quoted(endpoint.name)} is disabled${reason}; the job waits until it is enabled`;
  return [{ code: 'endpoint-disabled', detail }, ...ofMinute];
}

async function storeAll(
  admitted: readonly AdmittedJob[],
  sender: JobSender,
  deps: AcceptJobsDeps,
): Promise<Acceptance[]> {
  const { acceptor, room } = deps;
  if (admitted.length === 0) return [];
  const startedMs = deps.clock.monotonicMs();
  try {
    const acceptances = await acceptor.acceptAll(admitted.map(({ job }) => job));
    for (const [place, { client, job }] of admitted.entries()) {
      if (acceptances[place]?.kind !== 'accepted') room.release(client, sender, 1);
      else recordAccepted(job.jobId, undefined, startedMs, deps);
    }
    return acceptances;
  } catch (error) {
    for (const { client } of admitted) room.release(client, sender, 1);
    throw error;
  }
}

function resultOf(
  acceptance: Acceptance,
  admitted: AdmittedJob,
  { loads, pointerOf }: { loads: MinuteLoads; pointerOf: () => string },
): JobResult {
  switch (acceptance.kind) {
    case 'accepted': {
      const warnings = warningsOf(admitted, acceptance.dueAtMs, loads);
      const id = publicId('job', acceptance.jobId);
      return { status: 'accepted', id, ...(warnings.length === 0 ? {} : { warnings }) };
    }
    case 'duplicate':
      return { status: 'duplicate', id: publicId('job', acceptance.jobId) };
    case 'reused':
      return { status: 'refused', errors: [at(pointerOf(), reusedKey(acceptance.jobId))] };
    case 'unknown': {
      const { code, message: detail } = acceptance.problem;
      return { status: 'unknown', errors: [{ pointer: pointerOf(), code, detail }] };
    }
  }
}

function refused(error: unknown, pointer: string): JobResult {
  if (!(error instanceof HttpProblem)) throw error;
  const { code, message: detail, errors } = error;
  const problems = errors.length === 0 ? [{ pointer: '', code, detail }] : errors;
  return { status: 'refused', errors: problems.map((each) => at(pointer, each)) };
}

function at(pointer: string, problem: FieldProblem): FieldProblem {
  return { ...problem, pointer: `${pointer}${problem.pointer}` };
}

function reusedKey(jobId: string): FieldProblem {
  const detail = `the key was used for another call, ${publicId('job', jobId)}; use a new one`;
  return { pointer: '/idempotencyKey', code: 'idempotency-key-reused', detail };
}
