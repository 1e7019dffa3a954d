import type { AcceptedJob, JobResult } from '../../../../shared/contracts/jobs/jobs.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { Scope } from '../../../../shared/domain/scopes.ts';
import type { Client } from '../../../../shared/ports/clients.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { AdmittedJob, JobAdmission } from './admit-jobs.ts';
import type { ClientUsage } from '../../clients/client-usage.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { HttpProblem, invalidRequest } from '../../frame/http-problem.ts';
import type { Acceptance, JobAcceptor } from './job-acceptor.ts';
import type { MinuteLoads } from '../scheduler/minute-loads.ts';
import { readJob } from './read-job.ts';
import type { WantedJob } from './read-plain-job.ts';

export interface AcceptJobsDeps {
  admission: JobAdmission;
  acceptor: JobAcceptor;
  usage: ClientUsage;
  loads: MinuteLoads;
  clock: Clock;
}

/** @throws {HttpProblem} whatever keeps it from being accepted */
export async function acceptJob(wanted: WantedJob, scope: Scope, deps: AcceptJobsDeps): Promise<AcceptedJob> {
  const { admission, acceptor, usage, loads } = deps;
  const client = await admission.clientOf(wanted.client, scope);
  const { job } = admission.admit(client, wanted);
  const acceptance = await acceptor.accept(job).catch((error: unknown) => {
    usage.giveBack(client, 1);
    throw error;
  });
  if (acceptance.kind === 'unknown') throw acceptance.problem;
  if (acceptance.kind !== 'accepted') usage.giveBack(client, 1);
  if (acceptance.kind === 'reused') throw invalidRequest([reusedKey(acceptance.jobId)]);
  const { kind, jobId, dueAtMs } = acceptance;
  const id = publicId('job', jobId);
  return {
    id,
    clientId: publicId('client', client.clientId),
    dueAt: dueAtMs === null ? null : new Date(dueAtMs).toISOString(),
    duplicate: kind === 'duplicate',
    warnings: kind === 'accepted' && dueAtMs !== null ? loads.add(client, dueAtMs) : [],
    links: { self: `/v1/jobs/${id}` },
  };
}

export interface SentJobs {
  /** Each as it was sent. */
  values: readonly unknown[];
  /** Of those that name none. */
  client: string | undefined;
  /** Of the key that sends them. */
  scope: Scope;
  /** Where a job stands in the body, before the pointers of its problems; empty where it is a line of its own. */
  pointerAt: (place: number) => string;
}

/**
 * Many at once; a result for each, in their order. What is wrong with one spoils no other.
 * @throws {HttpProblem} where nothing could be stored, and nothing was wrong with the jobs
 */
export async function acceptJobs(sent: SentJobs, deps: AcceptJobsDeps): Promise<JobResult[]> {
  const clientOf = rememberClients(deps.admission, sent.scope);
  const read: (AdmittedJob | JobResult)[] = [];
  for (const [place, value] of sent.values.entries()) {
    try {
      const wanted = readJob(value, sent.client);
      const client = clientOf(wanted.client);
      read.push(deps.admission.admit(client instanceof Promise ? await client : client, wanted));
    } catch (error) {
      read.push(refused(error, sent.pointerAt(place)));
    }
  }
  const admitted = read.filter((each) => 'job' in each);
  const acceptances = await storeAll(admitted, deps);
  let next = 0;
  return read.map((each, place) => {
    if (!('job' in each)) return each;
    const acceptance = acceptances[next++];
    if (!acceptance) throw new Error('fewer jobs were answered for than were stored');
    return resultOf(acceptance, each, { loads: deps.loads, pointerOf: () => sent.pointerAt(place) });
  });
}

/** Clients that jobs name, each looked up once: also an unknown one. */
function rememberClients(admission: JobAdmission, scope: Scope): (ref: string) => Client | Promise<Client> {
  const known = new Map<string, Client>();
  const asked = new Map<string, Promise<Client>>();
  return (ref) => {
    const client = known.get(ref);
    if (client) return client;
    const asking = asked.get(ref) ?? admission.clientOf(ref, scope);
    asked.set(ref, asking);
    return asking.then((found) => {
      known.set(ref, found);
      return found;
    });
  };
}

async function storeAll(admitted: readonly AdmittedJob[], { acceptor, usage }: AcceptJobsDeps): Promise<Acceptance[]> {
  if (admitted.length === 0) return [];
  try {
    const acceptances = await acceptor.acceptAll(admitted.map(({ job }) => job));
    for (const [place, { client }] of admitted.entries()) {
      if (acceptances[place]?.kind !== 'accepted') usage.giveBack(client, 1);
    }
    return acceptances;
  } catch (error) {
    for (const { client } of admitted) usage.giveBack(client, 1);
    throw error;
  }
}

function resultOf(
  acceptance: Acceptance,
  { client }: AdmittedJob,
  { loads, pointerOf }: { loads: MinuteLoads; pointerOf: () => string },
): JobResult {
  switch (acceptance.kind) {
    case 'accepted': {
      const warnings = acceptance.dueAtMs === null ? [] : loads.add(client, acceptance.dueAtMs);
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
  const detail = `the key was used for another call, which is ${publicId('job', jobId)}; take a new one`;
  return { pointer: '/idempotencyKey', code: 'idempotency-key-reused', detail };
}
