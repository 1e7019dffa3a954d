import { z } from 'zod';
import { newJob, type AcceptedJob, type JobResult, type NewJob } from '../../shared/contracts/jobs.ts';
import { publicId } from '../../shared/domain/ids.ts';
import type { Client } from '../../shared/ports/clients.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { AdmittedJob, JobAdmission } from './admit-jobs.ts';
import type { ClientUsage } from './client-usage.ts';
import type { FieldProblem } from './contracts/problems.ts';
import { checkShape } from './http/check-shape.ts';
import { HttpProblem, invalidRequest } from './http/http-problem.ts';
import type { Acceptance, JobAcceptor } from './job-acceptor.ts';
import type { MinuteLoads } from './minute-loads.ts';

export interface AcceptJobsDeps {
  admission: JobAdmission;
  acceptor: JobAcceptor;
  usage: ClientUsage;
  loads: MinuteLoads;
  clock: Clock;
}

/** @throws {HttpProblem} whatever keeps it from being accepted */
export async function acceptJob(wanted: NewJob, deps: AcceptJobsDeps): Promise<AcceptedJob> {
  const { admission, acceptor, usage, loads } = deps;
  const client = await admission.clientOf(wanted.client);
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

/** A job of many as somebody sent it. */
export interface SentJob {
  value: unknown;
  /** Where it stands in the body, before the pointers of its problems; empty where it is a line of its own. */
  pointer: string;
}

/**
 * Many at once; a result for each, in their order. What is wrong with one spoils no other.
 * @param client of those that name none
 * @throws {HttpProblem} where nothing could be stored, and nothing was wrong with the jobs
 */
export async function acceptJobs(
  sent: readonly SentJob[],
  client: string | undefined,
  deps: AcceptJobsDeps,
): Promise<JobResult[]> {
  const clients = new Map<string, Client | HttpProblem>();
  const clientOf = async (ref: string) => {
    const known = clients.get(ref) ?? (await deps.admission.clientOf(ref).catch(problemAlone));
    clients.set(ref, known);
    if (known instanceof HttpProblem) throw known;
    return known;
  };
  const read: (AdmittedJob | JobResult)[] = [];
  for (const { value, pointer } of sent) {
    read.push(await readJob(value, client, { clientOf, admission: deps.admission }).catch(refusedAt(pointer)));
  }
  const admitted = read.flatMap((each) => ('job' in each ? [each] : []));
  const acceptances = await storeAll(admitted, deps);
  let place = 0;
  return read.map((each, index) => {
    if (!('job' in each)) return each;
    const acceptance = acceptances[place++];
    if (!acceptance) throw new Error('fewer jobs were answered for than were stored');
    return resultOf(acceptance, each, { loads: deps.loads, pointer: sent[index]?.pointer ?? '' });
  });
}

const fields = z.record(z.string(), z.unknown());

async function readJob(
  value: unknown,
  client: string | undefined,
  { clientOf, admission }: { clientOf: (ref: string) => Promise<Client>; admission: JobAdmission },
): Promise<AdmittedJob> {
  const named = client === undefined ? value : { client, ...fields.safeParse(value).data };
  const checked = checkShape(newJob, named);
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return admission.admit(await clientOf(checked.value.client), checked.value);
}

async function storeAll(admitted: readonly AdmittedJob[], { acceptor, usage }: AcceptJobsDeps): Promise<Acceptance[]> {
  if (admitted.length === 0) return [];
  try {
    const acceptances = await acceptor.acceptAll(admitted.map(({ job }) => job));
    for (const [index, { kind }] of acceptances.entries()) {
      const client = admitted[index]?.client;
      if (client && kind !== 'accepted') usage.giveBack(client, 1);
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
  { loads, pointer }: { loads: MinuteLoads; pointer: string },
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
      return { status: 'refused', errors: [at(pointer, reusedKey(acceptance.jobId))] };
    case 'unknown': {
      const { code, message: detail } = acceptance.problem;
      return { status: 'unknown', errors: [{ pointer, code, detail }] };
    }
  }
}

function refusedAt(pointer: string) {
  return (error: unknown): JobResult => {
    if (!(error instanceof HttpProblem)) throw error;
    const { code, message: detail, errors } = error;
    const told = errors.length === 0 ? [{ pointer: '', code, detail }] : errors;
    return { status: 'refused', errors: told.map((each) => at(pointer, each)) };
  };
}

function at(pointer: string, problem: FieldProblem): FieldProblem {
  return { ...problem, pointer: `${pointer}${problem.pointer}` };
}

function problemAlone(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  throw error;
}

function reusedKey(jobId: string): FieldProblem {
  const detail = `the key was used for another call, which is ${publicId('job', jobId)}; take a new one`;
  return { pointer: '/idempotencyKey', code: 'idempotency-key-reused', detail };
}
