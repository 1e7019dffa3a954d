import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import {
  cancelledJobs,
  foundJobs,
  jobsToMove,
  jobsToResend,
  listedJobs,
  movedJobs,
  resentJobs,
  type ResendResult,
} from '../../../shared/contracts/jobs/job-lists.ts';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { jobIdOf } from '../../../shared/domain/job/job-ids.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { callerOf, scopeOf } from '../access/scopes.ts';
import { requireNamedClient, requireReadableClient } from '../clients/named-client.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { AcceptJobsDeps } from './accept/accept-jobs.ts';
import type { JobSender } from './accept/job-capacity.ts';
import type { ClientTurns } from './client-turns.ts';
import { dueTimeOf } from './accept/due-time.ts';
import { cancelAnswerOf } from './job-routes.ts';
import { jobSummaryView } from './job-view.ts';
import type { ListedJobs } from './postgres/listed-jobs.ts';

export interface JobListRoutesDeps {
  listedJobs: ListedJobs;
  clientTurns: ClientTurns;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  accepting: Pick<AcceptJobsDeps, 'admission' | 'room'>;
  clock: Clock;
}

const tags = ['jobs'];

/** The limits of the client apply instead of the rate limit of the key, as for the submission of jobs. */
const changing = { role: 'scheduler', scope: 'client', rateLimit: false } as const;

const ofEach = 'Up to 5,000 by ids or idempotency keys, with a result for each, in the same order.';

export function jobListRoutes(server: HttpServer, deps: JobListRoutesDeps): void {
  findRoute(server, deps);
  cancelRoute(server, deps);
  moveRoute(server, deps);
  resendRoute(server, deps);
}

function findRoute(server: HttpServer, { listedJobs: jobs, clientTurns, clients }: JobListRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/jobs/find',
    config: { role: 'viewer', scope: 'client', isFrequent: true, rateLimit: false },
    schema: {
      operationId: 'findJobs',
      summary: 'Show jobs by their ids or keys',
      description: `${ofEach} Includes ended jobs, as long as outcomes are kept.`,
      tags,
      body: listedJobs,
      response: { 200: jsonAnswer('The job for each id or key', foundJobs) },
    },
    handler: async (request) => {
      const { client: name } = request.body;
      const clientId = await requireReadableClient(name, scopeOf(request), clients);
      const named = namedIn(request.body, clientId);
      const found = await clientTurns({ clientId, name }, () => jobs.find(clientId, differing(named)));
      const results = named.map(({ jobId, item }) => {
        const job = found.get(jobId);
        return { ...item, job: job ? jobSummaryView(job) : null };
      });
      return { found: results.filter(({ job }) => job !== null).length, results };
    },
  });
}

function cancelRoute(server: HttpServer, { listedJobs: jobs, clientTurns, clients }: JobListRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/jobs/cancel',
    config: { ...changing, audit: 'cancelled jobs by ids or keys' },
    schema: {
      operationId: 'cancelJobs',
      summary: 'Cancel jobs by their ids or keys',
      description: `${ofEach} Results as for a single job, or \`not-found\`. A repeated request has the same results.`,
      tags,
      headers: idempotentHeaders,
      body: listedJobs,
      response: { 200: jsonAnswer('Result for each job', cancelledJobs) },
    },
    handler: async (request) => {
      const client = await requireNamedClient(request.body.client, scopeOf(request), clients);
      const named = namedIn(request.body, client.clientId);
      const changed = await clientTurns(client, () => jobs.cancel(client.clientId, differing(named)));
      const answers = new Map(
        [...changed].map(
          ([jobId, answer]) => [jobId, answer.kind === 'missing' ? null : cancelAnswerOf(answer)] as const,
        ),
      );
      const results = named.map(({ jobId, item }) => ({
        ...item,
        result: answers.get(jobId) ?? ('not-found' as const),
      }));
      const cancelled = [...answers.values()].filter((answer) => answer === 'cancelled').length;
      noteChange(request, { client, named, done: { cancelled } });
      return { cancelled, results };
    },
  });
}

function moveRoute(server: HttpServer, { listedJobs: jobs, clientTurns, clients, clock }: JobListRoutesDeps): void {
  const answers = {
    changed: 'rescheduled',
    firing: 'too-late',
    reporting: 'too-late',
    ended: 'too-late',
    missing: 'not-found',
  } as const;
  server.route({
    method: 'POST',
    url: '/jobs/reschedule',
    config: { ...changing, audit: 'rescheduled jobs by ids or keys' },
    schema: {
      operationId: 'rescheduleJobs',
      summary: 'Reschedule jobs by their ids or keys',
      description: ofEach,
      tags,
      headers: idempotentHeaders,
      body: jobsToMove,
      response: { 200: jsonAnswer('Result for each job', movedJobs) },
    },
    handler: async (request) => {
      const client = await requireNamedClient(request.body.client, scopeOf(request), clients);
      const named = namedIn(request.body, client.clientId);
      const to = dueTimeOf(request.body, clock.now());
      const changed = await clientTurns(client, () => jobs.move(client.clientId, differing(named), to));
      const results = named.map(({ jobId, item }) => {
        return { ...item, result: answers[changed.get(jobId)?.kind ?? 'missing'] };
      });
      const rescheduled = [...changed.values()].filter(({ kind }) => kind === 'changed').length;
      noteChange(request, { client, named, done: { rescheduled } });
      return { rescheduled, results };
    },
  });
}

function resendRoute(server: HttpServer, deps: JobListRoutesDeps): void {
  const { listedJobs: jobs, clientTurns, accepting, clock } = deps;
  server.route({
    method: 'POST',
    url: '/jobs/resend',
    config: { ...changing, audit: 'sent ended jobs again' },
    schema: {
      operationId: 'resendJobs',
      summary: 'Send ended jobs again, including called ones',
      description:
        `${ofEach} Each becomes a new job with its own id, webhook-id and attempts; the header ` +
        '`muster-repeats` of its calls names the repeated job. New jobs count as accepted jobs.',
      tags,
      headers: idempotentHeaders,
      body: jobsToResend,
      response: { 200: jsonAnswer('Result for each job', resentJobs) },
    },
    handler: async (request) => {
      const sender = callerOf(request);
      const client = await accepting.admission.clientOf(request.body.client, sender.scope);
      const named = namedIn(request.body, client.clientId);
      const due = dueTimeOf(request.body, clock.now());
      // A repeat of the request uses the same ids, so that no job is sent twice.
      const seed = request.begun?.createdId ?? uuidv7();
      const newIdOf = (jobId: string) => jobIdOf(client.clientId, `resent\n${seed}\n${jobId}`);
      const resent = await clientTurns(client, () =>
        resendWithinLimits(deps, { client, sender }, differing(named), (jobIds) =>
          jobs.resend(client.clientId, jobIds, { newIdOf, due }),
        ),
      );
      const results = named.map(({ jobId, item }) => {
        const result = resent.get(jobId) ?? 'not-found';
        return { ...item, result, jobId: result === 'sent' ? publicId('job', newIdOf(jobId)) : null };
      });
      const sent = [...resent.values()].filter((result) => result === 'sent').length;
      noteChange(request, { client, named, done: { sent } });
      return { sent, results };
    },
  });
}

/** Reserves capacity for each job, as for a new job, and releases the capacity of jobs that are not stored. */
async function resendWithinLimits(
  { accepting: { room } }: JobListRoutesDeps,
  { client, sender }: { client: Client; sender: JobSender },
  jobIds: readonly string[],
  resend: (jobIds: readonly string[]) => Promise<Map<string, ResendResult>>,
): Promise<Map<string, ResendResult>> {
  const refused = new Map<string, ResendResult>();
  for (const jobId of jobIds) {
    const taken = room.take(client, sender);
    if (taken.kind !== 'room') refused.set(jobId, taken.kind === 'quota' ? 'quota-exceeded' : 'too-many-jobs');
  }
  const admitted = jobIds.filter((jobId) => !refused.has(jobId));
  let sent = 0;
  try {
    const results = await resend(admitted);
    sent = [...results.values()].filter((result) => result === 'sent').length;
    return new Map([...refused, ...results]);
  } finally {
    room.release(client, sender, admitted.length - sent);
  }
}

interface NamedJob {
  /** Id of the job. If the given text cannot be the id of a job, an id that no job has. */
  jobId: string;
  item: { id: string; idempotencyKey?: string };
}

interface NamedJobs {
  ids?: readonly string[] | undefined;
  idempotencyKeys?: readonly string[] | undefined;
}

function namedIn({ ids, idempotencyKeys = [] }: NamedJobs, clientId: string): NamedJob[] {
  if (ids) return ids.map((id) => ({ jobId: uuidOf('job', id) ?? '', item: { id } }));
  return idempotencyKeys.map((idempotencyKey) => {
    const jobId = jobIdOf(clientId, idempotencyKey);
    return { jobId, item: { id: publicId('job', jobId), idempotencyKey } };
  });
}

function differing(named: readonly NamedJob[]): string[] {
  return [...new Set(named.map(({ jobId }) => jobId))].filter((jobId) => jobId !== '');
}

interface ListChange {
  client: Client;
  named: readonly NamedJob[];
  done: Record<string, number>;
}

function noteChange(request: FastifyRequest, { client, named, done }: ListChange): void {
  request.auditDetail = { client: client.name, jobs: named.length, ...done };
}
