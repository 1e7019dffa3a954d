import { jobOutcomes } from '../../../shared/contracts/jobs/jobs.ts';
import { InvalidCursorError } from '../../../services/api/campaigns/campaign-store.port.ts';
import type {
  JobChanged,
  JobFilter,
  JobRecord,
  JobStore,
  WholeJob,
} from '../../../services/api/jobs/job-store.port.ts';
import { atOnce } from './at-once.ts';
import { countJobs, type EndedJobRow, type StoredJobRow } from './job-tables.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryJobStore({ database }: { database: MemoryDatabase }): JobStore {
  const { scheduled, clock } = database;
  const { jobs, fires, ended, attempts, dead } = scheduled;

  function storedRecord(row: StoredJobRow): JobRecord {
    const state = row.sideline !== null ? 'sidelined' : fires.has(row.jobId) ? 'firing' : 'pending';
    const dueAt = Number.isFinite(row.dueAtMs) ? new Date(row.dueAtMs) : null;
    const times = { scheduledFor: new Date(row.scheduledForMs), dueAt, acceptedAt: new Date(row.acceptedAtMs) };
    const expiresAt = row.expiresAtMs === null ? null : new Date(row.expiresAtMs);
    return { ...common(row), ...times, state, expiresAt, endedAt: null, sideline: row.sideline, cause: null };
  }

  function endedRecord(row: EndedJobRow): JobRecord {
    const state = jobOutcomes.find((outcome) => outcome === row.outcome) ?? 'called';
    const cause = state === 'dead' ? (dead.get(row.jobId)?.cause ?? row.error) : null;
    const times = { scheduledFor: new Date(row.scheduledForMs), endedAt: new Date(row.endedAtMs) };
    const gone = { dueAt: null, acceptedAt: null, expiresAt: null, sideline: null };
    return { ...common(row), ...times, ...gone, state, cause };
  }

  const lastEnd = (jobId: string) =>
    ended
      .filter((row) => row.jobId === jobId)
      .reduce<EndedJobRow | undefined>((a, b) => (a && a.endedAtMs > b.endedAtMs ? a : b), undefined);

  function attemptsOf(jobId: string): WholeJob['attempts'] {
    const before = attempts.filter((row) => row.jobId === jobId);
    const ends = ended.filter((row) => row.jobId === jobId && (row.outcome === 'called' || row.outcome === 'dead'));
    return [...before, ...ends.map((row) => ({ ...row, atMs: row.endedAtMs }))]
      .sort((a, b) => a.atMs - b.atMs || a.attempt - b.attempt)
      .map(({ attempt, atMs, status, latencyMs, error, answer }) => {
        return { attempt, at: new Date(atMs), status, latencyMs, error, answer };
      });
  }

  function change(jobIds: readonly string[], apply: (row: StoredJobRow) => void): JobChanged[] {
    return jobIds.map((jobId) => {
      const row = jobs.get(jobId);
      if (row && fires.has(jobId)) return { kind: 'firing' };
      if (row) {
        apply(row);
        return { kind: 'changed' };
      }
      const end = lastEnd(jobId);
      return end
        ? { kind: 'ended', outcome: jobOutcomes.find((each) => each === end.outcome) ?? 'called' }
        : { kind: 'missing' };
    });
  }

  return {
    find: (jobId) =>
      atOnce(() => {
        const row = jobs.get(jobId);
        if (row) return { ...storedRecord(row), headers: row.headers, body: row.body, attempts: attemptsOf(jobId) };
        const end = lastEnd(jobId);
        if (!end) return undefined;
        const kept = end.outcome === 'dead' ? dead.get(jobId)?.job : undefined;
        const { headers = null, body = null } = kept ?? {};
        return { ...endedRecord(end), headers, body, attempts: attemptsOf(jobId) };
      }),

    list: (filter, limit, cursor) =>
      atOnce(() => {
        const isEnded = jobOutcomes.some((outcome) => outcome === filter.state);
        const all = isEnded
          ? ended.map(endedRecord).sort(newestFirst)
          : [...jobs.values()].map(storedRecord).sort(byDue);
        const found = all.filter((job) => fits(job, filter));
        const behind = cursor === null ? null : readCursor(cursor);
        const from = behind === null ? 0 : found.findIndex(({ jobId }) => jobId === behind) + 1;
        const items = found.slice(from, from + limit);
        const end = found.length > from + limit ? items.at(-1) : undefined;
        return { items, next: end ? Buffer.from(JSON.stringify(end.jobId)).toString('base64url') : null };
      }),

    cancel: (jobIds) =>
      atOnce(() =>
        change(jobIds, (row) => {
          jobs.delete(row.jobId);
          const nothing = { status: null, latencyMs: null, error: null, answer: null };
          ended.push({ ...row, ...nothing, endedAtMs: clock.nowMs(), outcome: 'cancelled' });
          countJobs(scheduled, row.clientId, { cancelled: 1 });
        }),
      ),

    move: (jobIds, to) =>
      atOnce(() =>
        change(jobIds, (row) => {
          const dueAtMs = Math.max(clock.nowMs(), 'dueAt' in to ? to.dueAt.getTime() : clock.nowMs() + to.delayMs);
          const expiresAtMs = row.expiresAtMs === null ? null : row.expiresAtMs + dueAtMs - row.scheduledForMs;
          jobs.set(row.jobId, { ...row, dueAtMs, scheduledForMs: dueAtMs, expiresAtMs, sideline: null });
        }),
      ),
  };
}

function common({ jobId, clientId, attempt, method, url, key, tags, scheduleId }: StoredJobRow | EndedJobRow) {
  return { jobId, clientId, attempt, method, url, key, tags: [...(tags ?? [])], scheduleId };
}

function fits(job: JobRecord, { clientId, state, tag, dueFrom, dueUntil }: JobFilter): boolean {
  const at = job.dueAt ?? job.scheduledFor;
  if (clientId !== undefined && job.clientId !== clientId) return false;
  if (state === undefined ? job.state === 'sidelined' : job.state !== state) return false;
  if (tag !== undefined && !job.tags.includes(tag)) return false;
  return (dueFrom === undefined || at >= dueFrom) && (dueUntil === undefined || at < dueUntil);
}

function byDue(a: JobRecord, b: JobRecord): number {
  const difference = Number(a.dueAt ?? 0) - Number(b.dueAt ?? 0);
  return difference === 0 ? (a.jobId < b.jobId ? -1 : 1) : difference;
}

function newestFirst(a: JobRecord, b: JobRecord): number {
  const difference = Number(b.endedAt) - Number(a.endedAt);
  return difference === 0 ? (a.jobId > b.jobId ? -1 : 1) : difference;
}

function readCursor(cursor: string): string {
  try {
    return String(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (error) {
    throw new InvalidCursorError(`${JSON.stringify(cursor)} is no place to go on from`, { cause: error });
  }
}
