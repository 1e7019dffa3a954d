import type { HostCircuits, HostKey } from '../../../services/dispatcher/ports/host-circuits.ts';
import { jobPartitionOf } from '../../../shared/domain/job/job-ids.ts';
import { atOnce } from './at-once.ts';
import { circuitKey, type CallbackTables } from './callback-tables.ts';
import { countJobs, type StoredJobRow } from './job-tables.ts';
import { wakeKey } from './key-advancer.ts';

export function createMemoryHostCircuits(deps: { tables: CallbackTables; owner: string }): HostCircuits {
  const { tables, owner } = deps;
  const { circuits, jobs, fires, clock } = tables;
  const rowOf = ({ clientId, host }: HostKey) => circuits.get(circuitKey(clientId, host));
  const sidelinedOf = ({ clientId, host }: HostKey): StoredJobRow[] =>
    [...jobs.values()]
      .filter((job) => job.clientId === clientId && job.sideline === host)
      .sort((a, b) => a.attempt + a.probes - b.attempt - b.probes || (a.jobId < b.jobId ? -1 : 1));
  const putDue = (job: StoredJobRow) => {
    const due = { ...job, dueAtMs: clock.nowMs(), sideline: null };
    jobs.set(job.jobId, due);
    return due;
  };
  const put = (key: HostKey, state: 'open' | 'disabled', cause: string, nextAtMs: number) => {
    const before = rowOf(key);
    const [openings, openedAtMs] = [(before?.openings ?? 0) + 1, before?.openedAtMs ?? clock.nowMs()];
    const row = { ...key, state, cause, openings, openedAtMs, nextAtMs, closingSinceMs: null };
    circuits.set(circuitKey(key.clientId, key.host), row);
  };

  return {
    read: () =>
      atOnce(() =>
        Array.from(circuits.values(), ({ clientId, host, state, nextAtMs, openedAtMs, closingSinceMs }) => ({
          clientId,
          host,
          state,
          nextInMs: nextAtMs - clock.nowMs(),
          sinceMs: clock.nowMs() - (closingSinceMs ?? openedAtMs),
        })),
      ),
    open: (key, cause, nextInMs) =>
      atOnce(() => {
        const state = rowOf(key)?.state;
        if (state === undefined || state === 'closing') put(key, 'open', cause, clock.nowMs() + nextInMs);
      }),
    disable: (key, cause) =>
      atOnce(() => {
        if (rowOf(key)?.state !== 'disabled') put(key, 'disabled', cause, Infinity);
      }),
    takeProbe: (key, nextInMs, leaseMs) =>
      atOnce(() => {
        const row = rowOf(key);
        if (row?.state !== 'open' || row.nextAtMs > clock.nowMs()) return { kind: 'not-now' };
        row.nextAtMs = clock.nowMs() + nextInMs;
        const [first] = sidelinedOf(key);
        if (!first) return { kind: 'nothing-waits' };
        const job = putDue({ ...first, probes: first.probes + 1 });
        const leaseUntilMs = clock.nowMs() + leaseMs;
        const alone = job.ordering ? { exclusiveUntilMs: leaseUntilMs } : {};
        fires.set(job.jobId, { jobId: job.jobId, owner, epoch: 1, leaseUntilMs, ...alone });
        const { jobId, clientId, attempt, scheduledForMs, expiresAtMs, method, url, headers, body } = job;
        const key_ = { partition: jobPartitionOf(jobId), dueUs: job.dueAtMs * 1000, jobId };
        const expiresInMs = expiresAtMs === null ? null : expiresAtMs - clock.nowMs();
        const call = {
          claimedAtMs: clock.nowMs(),
          expiresInMs,
          method,
          url,
          headers,
          body,
          repeats: null,
          terms: null,
          orderingKey: job.ordering?.key ?? null,
          exclusiveMs: null,
          report: null,
        };
        return { kind: 'job', job: { ...key_, clientId, epoch: 1, attempt, scheduledForMs, ...call } };
      }),
    beginClosing: (key) =>
      atOnce(() => {
        const row = rowOf(key);
        if (!row || row.state === 'closing') return;
        Object.assign(row, { state: 'closing', closingSinceMs: clock.nowMs(), nextAtMs: clock.nowMs() });
      }),
    releaseSidelined: (key, count) =>
      atOnce(() => {
        const row = rowOf(key);
        if (row?.state !== 'closing' || row.nextAtMs > clock.nowMs()) return null;
        row.nextAtMs = clock.nowMs() + 1000;
        const brought = sidelinedOf(key).slice(0, count).map(putDue).length;
        if (brought < count) circuits.delete(circuitKey(key.clientId, key.host));
        return brought;
      }),
    expire: (key, limit) =>
      atOnce(() => {
        const expired = sidelinedOf(key)
          .filter(({ expiresAtMs }) => expiresAtMs !== null && expiresAtMs <= clock.nowMs())
          .slice(0, limit);
        for (const job of expired) {
          jobs.delete(job.jobId);
          wakeKey(tables, job);
          const nothing = { status: null, latencyMs: null, error: null, answer: null };
          tables.ended.push({ ...job, ...nothing, endedAtMs: clock.nowMs(), outcome: 'expired' });
          countJobs(tables, job.clientId, { expired: 1 });
        }
        return expired.length;
      }),
    closeOrphanedHosts: () =>
      atOnce(() => {
        const before = circuits.size;
        for (const { clientId, sideline: host } of jobs.values()) {
          if (host === null || rowOf({ clientId, host })) continue;
          put({ clientId, host }, 'open', 'jobs were sidelined', clock.nowMs());
          Object.assign(rowOf({ clientId, host }) ?? {}, { state: 'closing', closingSinceMs: clock.nowMs() });
        }
        return circuits.size - before;
      }),
  };
}
