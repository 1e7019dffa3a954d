import type {
  DeadJob,
  DeadJobContent,
  DeadJobStore,
  ReplayTerms,
} from '../../../services/api/jobs/dead-job-store.port.ts';
import { InvalidCursorError } from '../../../services/api/campaigns/campaign-store.port.ts';
import type { SettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { countJobs, type DeadJobRow, type JobTables } from './job-tables.ts';

export function createMemoryDeadJobStore({ tables, clock }: { tables: JobTables; clock: SettableClock }): DeadJobStore {
  const { dead, jobs } = tables;
  const isExpired = ({ job }: DeadJobRow) => job.expiresAtMs !== null && job.expiresAtMs <= clock.nowMs();
  const fitting = (filter: { clientId?: string | undefined; cause?: string | undefined }) =>
    [...dead.values()].filter(
      ({ clientId, cause }) =>
        (filter.clientId === undefined || clientId === filter.clientId) &&
        (filter.cause === undefined || cause === filter.cause),
    );
  const byDeath = (a: DeadJobRow, b: DeadJobRow) => a.diedAtMs - b.diedAtMs || (a.jobId < b.jobId ? -1 : 1);

  function view(row: DeadJobRow): DeadJob {
    const { jobId, clientId, cause, diedAtMs, job } = row;
    const last = tables.ended.findLast((ended) => ended.jobId === jobId);
    return {
      ...{ jobId, clientId, cause, diedAt: new Date(diedAtMs), scheduledFor: new Date(job.scheduledForMs) },
      expiresAt: job.expiresAtMs === null ? null : new Date(job.expiresAtMs),
      ...{ expired: isExpired(row), attempt: job.attempt, method: job.method, url: job.url },
      ...{ status: last?.status ?? null, error: last?.error ?? null },
    };
  }

  function content(row: DeadJobRow): DeadJobContent {
    const { headers, body, tags, key } = row.job;
    const answer = tables.ended.findLast((ended) => ended.jobId === row.jobId)?.answer ?? null;
    return { ...view(row), headers, body, answer, tags: tags ?? [], key };
  }

  function putBack(row: DeadJobRow, dueAtMs: number): void {
    const expiresAtMs = isExpired(row) ? null : row.job.expiresAtMs;
    dead.delete(row.jobId);
    jobs.set(row.jobId, { ...row.job, dueAtMs, attempt: 1, expiresAtMs, sideline: null });
    countJobs(tables, row.clientId, { dead: -1 });
  }

  return {
    groups: (filter) =>
      atOnce(() =>
        [...Map.groupBy(fitting(filter), ({ clientId, cause }) => `${clientId} ${cause}`).values()]
          .flatMap((rows) => {
            const [first, last] = [rows.toSorted(byDeath)[0], rows.toSorted(byDeath).at(-1)];
            if (!first || !last) return [];
            const { clientId, cause } = first;
            const times = { firstAt: new Date(first.diedAtMs), lastAt: new Date(last.diedAtMs) };
            return [{ clientId, cause, jobs: rows.length, ...times }];
          })
          .sort((a, b) => b.jobs - a.jobs || (a.clientId + a.cause < b.clientId + b.cause ? -1 : 1)),
      ),
    list: (filter, limit, cursor) =>
      atOnce(() => {
        const rows = fitting(filter).sort(byDeath).reverse();
        const placeOf = ({ diedAtMs, jobId }: DeadJobRow) => `${diedAtMs * 1000}_${jobId}`;
        if (cursor !== null && !/^\d{1,17}_[0-9a-f-]{36}$/.test(cursor)) throw new InvalidCursorError('no place');
        const from = cursor === null ? 0 : rows.findIndex((row) => placeOf(row) === cursor) + 1;
        const items = rows.slice(from, from + limit);
        const last = items.at(-1);
        return { items: items.map(view), next: last && rows.length > from + limit ? placeOf(last) : null };
      }),
    find: (jobId) =>
      atOnce(() => {
        const row = dead.get(jobId);
        return row && content(row);
      }),
    replay: (jobId, { withExpired }) =>
      atOnce(() => {
        const row = dead.get(jobId);
        if (!row) return 'missing';
        if (isExpired(row) && !withExpired) return 'expired';
        putBack(row, clock.nowMs());
        return 'replayed';
      }),
    replayAll: (filter, { withExpired, perSecond }: ReplayTerms) =>
      atOnce(() => {
        const rows = fitting(filter).sort(byDeath);
        const wanted = rows.filter((row) => withExpired || !isExpired(row));
        wanted.forEach((row, place) =>
          putBack(row, clock.nowMs() + (perSecond === null ? 0 : (place / perSecond) * 1000)),
        );
        return { jobs: wanted.length, expired: rows.length - wanted.length };
      }),
  };
}
