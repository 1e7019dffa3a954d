import { writeOwnTerms } from '../../../shared/contracts/jobs/call-terms.ts';
import { jobPartitionOf } from '../../../shared/domain/job/job-ids.ts';
import type { JobRows, JobSubject, SeedJob } from '../conformance/job-subject.ts';
import { atOnce } from './at-once.ts';
import type { CallbackTables } from './callback-tables.ts';
import { createMemoryJobNodes } from './job-nodes.ts';
import type { StoredJobRow } from './job-tables.ts';
import { wakeKey } from './key-advancer.ts';

export function memoryJobSubject(tables: CallbackTables): JobSubject {
  const { clock } = tables;
  return {
    add: (jobs) =>
      atOnce(() =>
        jobs.map((job) => {
          const row = storedJobOf(job, clock.nowMs());
          tables.jobs.set(job.jobId, row);
          wakeKey(tables, row);
          return { partition: jobPartitionOf(job.jobId), dueUs: row.dueAtMs * 1000, jobId: job.jobId };
        }),
      ),
    keys: () =>
      atOnce(() =>
        Array.from(tables.jobs.values(), ({ jobId, dueAtMs }) => ({
          partition: jobPartitionOf(jobId),
          dueUs: dueAtMs * 1000,
          jobId,
        })).filter(({ dueUs }) => dueUs !== Infinity),
      ),
    cancel: (jobId) => atOnce(() => void tables.jobs.delete(jobId)),
    rows: () => atOnce(() => rowsOf(tables)),
    nodes: createMemoryJobNodes({ tables }),
    passTime: (ms) => atOnce(() => clock.advance(ms)),
    switchRegion: (name) =>
      atOnce(() => {
        const row = tables.regions.get(name);
        if (row) row.epoch++;
      }),
  };
}

export function storedJobOf(job: SeedJob, nowMs: number): StoredJobRow {
  return {
    jobId: job.jobId,
    clientId: job.clientId,
    dueAtMs: job.sideline === undefined ? nowMs + job.dueInMs : Infinity,
    attempt: job.attempt ?? 1,
    scheduledForMs: nowMs + job.dueInMs,
    expiresAtMs: job.expiresInMs === undefined ? null : nowMs + job.expiresInMs,
    acceptedAtMs: nowMs,
    key: null,
    tags: null,
    scheduleId: null,
    method: 'POST',
    url: job.url ?? 'https://receiver.example/hook',
    headers: null,
    body: job.body ?? '{}',
    terms: writeOwnTerms({ priority: job.priority }),
    probes: 0,
    sideline: job.sideline ?? null,
    ...(job.ordering && {
      ordering: job.ordering,
      dueAtMs: Infinity,
      readyAtMs: nowMs + job.dueInMs,
      place: job.place ?? 0,
    }),
  };
}

function rowsOf(tables: CallbackTables): JobRows {
  const byJob = <Row extends { jobId: string }>(rows: Row[]) => rows.sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
  return {
    pending: byJob(
      Array.from(tables.jobs.values(), ({ jobId, attempt, dueAtMs, sideline }) => ({
        jobId,
        attempt,
        sideline,
        dueInMs: dueAtMs === Infinity ? null : dueAtMs - tables.clock.nowMs(),
      })),
    ),
    fires: byJob(Array.from(tables.fires.values(), ({ jobId, owner, epoch }) => ({ jobId, owner, epoch }))),
    ended: byJob(
      tables.ended.map(({ jobId, outcome, attempt, status, error, answer }) => ({
        jobId,
        outcome,
        attempt,
        status,
        error,
        answer,
      })),
    ),
    attempts: tables.attempts
      .map(({ jobId, attempt, status }) => ({ jobId, attempt, status }))
      .sort((a, b) => (a.jobId < b.jobId ? -1 : a.jobId > b.jobId ? 1 : a.attempt - b.attempt)),
    dead: byJob(Array.from(tables.dead, ([jobId, { cause }]) => ({ jobId, cause }))),
    totals: Array.from(tables.totals, ([clientId, { called, expired, dead }]) => ({ clientId, called, expired, dead })),
  };
}
