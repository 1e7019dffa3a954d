import type { Pool } from 'pg';
import { validate } from 'uuid';
import { statementOf, unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { advanceCommitted, wakeKeys, type WokenRow } from '../../../../shared/postgres/jobs/key-wakes.ts';
import { jobNotifierOn } from '../../../../shared/postgres/jobs/job-notifier.ts';
import { InvalidCursorError, type Page } from '../../frame/page.port.ts';
import { pageOf } from '../../frame/postgres/pages.ts';

/** Maximum number of jobs in one transaction, which locks their rows for some dozen milliseconds. */
const perReplay = 1000;

export interface DeadJobFilter {
  clientIds?: readonly string[] | undefined;
  cause?: string | undefined;
}

export interface DeadJobGroup {
  clientId: string;
  cause: string;
  jobs: number;
  firstAt: Date;
  lastAt: Date;
}

export interface DeadJob {
  jobId: string;
  clientId: string;
  cause: string;
  diedAt: Date;
  scheduledFor: Date;
  expiresAt: Date | null;
  /** True if the job has expired by the database's clock. A request must explicitly ask to replay expired jobs. */
  expired: boolean;
  attempt: number;
  method: string;
  url: string;
  status: number | null;
  error: string | null;
}

export interface DeadJobContent extends DeadJob {
  /** Headers as JSON, as they were accepted. */
  headers: string | null;
  body: string | null;
  answer: string | null;
  tags: readonly string[];
  key: string | null;
}

export interface ReplayTerms {
  /** True to replay expired jobs as well, which then never expire again. */
  withExpired: boolean;
  /** Rate of due times, in jobs per second; null makes all jobs due at once. */
  perSecond: number | null;
}

export interface ReplayResult {
  jobs: number;
  /** Number of expired jobs, which were not replayed. */
  expired: number;
}

export type DeadJobStore = ReturnType<typeof createDeadJobStore>;

export function createDeadJobStore({ pool }: { pool: Pool }) {
  const notifier = jobNotifierOn(pool);

  return {
    /** Returns groups of dead jobs by client and cause, the largest group first. */
    groups: async (filter: DeadJobFilter): Promise<DeadJobGroup[]> => {
      const { rows } = await pool.query<DeadJobGroup>(selectGroups.with(filterOf(filter)));
      return rows;
    },
    /** Counts dead jobs, up to a limit. */
    count: async (filter: DeadJobFilter, limit: number): Promise<number> => {
      const { rows } = await pool.query<{ items: number }>(countDead.with({ ...filterOf(filter), limit }));
      return rows[0]?.items ?? 0;
    },
    /**
     * Returns dead jobs, the latest first. `cursor` comes from the previous page.
     * @throws {InvalidCursorError} if the cursor is invalid
     */
    list: async (filter: DeadJobFilter, limit: number, cursor: string | null): Promise<Page<DeadJob>> => {
      const [diedAt, jobId] = placeOf(cursor);
      const { rows } = await pool.query<DeadJob & { place: string }>(
        selectDead.with({ ...filterOf(filter), limit: limit + 1, diedAt, jobId }),
      );
      return pageOf(rows, limit, ({ place }) => place);
    },
    find: async (jobId: string): Promise<DeadJobContent | undefined> => {
      const { rows } = await pool.query<DeadJobContent>(selectOne, [jobId]);
      return rows[0];
    },
    /**
     * Makes a dead job pending, with the same id, due now, with attempt 1. Returns `missing` if the job is not dead.
     */
    replay: async (
      jobId: string,
      { withExpired }: Pick<ReplayTerms, 'withExpired'>,
    ): Promise<'replayed' | 'expired' | 'client-deleted' | 'missing'> => {
      const { rows } = await pool.query<ReplayRow>(
        replayDead.with({ ...anyDead, ...atOnce, jobId, withExpired, limit: 1 }),
      );
      const [row] = rows;
      if (!row) return 'missing';
      if (row.replayed > 0) {
        await advanceCommitted({ pool, slot: 0 }, row.woken);
        notifier.committed(0);
        return 'replayed';
      }
      if (row.deleted > 0) return 'client-deleted';
      return row.expired > 0 ? 'expired' : 'missing';
    },
    /** Replays all matching jobs that were dead at the time of the request, about a thousand in each transaction. */
    replayAll: async (filter: DeadJobFilter, { withExpired, perSecond }: ReplayTerms): Promise<ReplayResult> => {
      const until = await databaseTime();
      const wanted = { ...filterOf(filter), jobId: null };
      for (let jobs = 0; ;) {
        const { rows } = await pool.query<ReplayRow>(
          replayDead.with({ ...wanted, withExpired, until, perSecond, offset: jobs, limit: perReplay }),
        );
        const { replayed, expired, woken } = rows[0] ?? { replayed: 0, expired: 0, woken: [] };
        jobs += replayed;
        await advanceCommitted({ pool, slot: 0 }, woken);
        if (replayed > 0) notifier.committed(0);
        if (replayed < perReplay) return { jobs, expired };
      }
    },
    /**
     * Deletes a dead job. It stays among ended jobs and in the number of dead jobs. Returns false if the job is not
     * dead.
     */
    discard: async (jobId: string): Promise<boolean> => {
      const { rowCount } = await pool.query(discardDead.with({ ...anyDead, jobId, limit: 1 }));
      return rowCount === 1;
    },
    /** Deletes all matching jobs that were dead at the time of the request. Returns their number. */
    discardAll: async (filter: DeadJobFilter): Promise<number> => {
      const until = await databaseTime();
      for (let jobs = 0; ;) {
        const wanted = { ...filterOf(filter), jobId: null, until, limit: perReplay };
        const { rowCount } = await pool.query(discardDead.with(wanted));
        jobs += rowCount ?? 0;
        if ((rowCount ?? 0) < perReplay) return jobs;
      }
    },
  };

  /** Returns the current time of the database server as text, in microseconds. */
  async function databaseTime(): Promise<string | null> {
    const { rows } = await pool.query<{ now: string }>('select now()::text as now');
    return rows[0]?.now ?? null;
  }
}

interface ReplayRow {
  replayed: number;
  /** Number of matching jobs that were not replayed: expired jobs of existing clients, and jobs of deleted clients. */
  expired: number;
  deleted: number;
  woken: WokenRow[];
}

/** Filter of dead jobs; null matches any value. */
interface Filter {
  clients: readonly string[] | null;
  cause: string | null;
}

function filterOf({ clientIds, cause }: DeadJobFilter): Filter {
  return { clients: clientIds ?? null, cause: cause ?? null };
}

/**
 * Decodes a cursor.
 * @throws {InvalidCursorError} if it is invalid
 */
function placeOf(cursor: string | null): [diedAt: string | null, jobId: string | null] {
  if (cursor === null) return [null, null];
  const [micros = '', jobId = ''] = cursor.split('_');
  if (!/^\d{1,17}$/.test(micros) || !validate(jobId)) {
    throw new InvalidCursorError(`${JSON.stringify(cursor)} is not a cursor of this list`);
  }
  return [micros, jobId];
}

const fits = ($: (param: keyof Filter) => string) => `
  (${$('clients')}::uuid[] is null or client = any(${$('clients')}::uuid[]))
  and (${$('cause')}::text is null or cause = ${$('cause')})`;

const expiresAt = `(job ->> 'expiresAt')::timestamptz`;
const row = `id as "jobId", client as "clientId", cause, died_at as "diedAt",
  (job ->> 'scheduledFor')::timestamptz as "scheduledFor",
  ${expiresAt} as "expiresAt", coalesce(${expiresAt} <= now(), false) as expired, (job ->> 'attempt')::int as attempt,
  job ->> 'method' as method, job ->> 'url' as url, (job ->> 'status')::int as status, job ->> 'error' as error`;
const micros = `(extract(epoch from died_at) * 1000000)::int8`;

const selectGroups = unnamedStatementOf<Filter>(
  ($) => `
  select client as "clientId", cause, count(*)::int as jobs, min(died_at) as "firstAt", max(died_at) as "lastAt"
  from dead_jobs where ${fits($)} group by client, cause order by jobs desc, client, cause collate "C" limit 1000`,
);

const countDead = unnamedStatementOf<Filter & { limit: number }>(
  ($) => `
  select count(*)::int as items from (select from dead_jobs where ${fits($)} limit ${$('limit')}) k`,
);

/**
 * Parameters of a page. The position of the previous page's last job is its time of death in microseconds and its id;
 * null for the first page.
 */
type DeadParams = Filter & { limit: number; diedAt: string | null; jobId: string | null };

const selectDead = unnamedStatementOf<DeadParams>(
  ($) => `
  select ${row}, ${micros}::text || '_' || id::text as place from dead_jobs
  where ${fits($)} and (${$('diedAt')}::int8 is null
    or (died_at, id) < ('epoch'::timestamptz + ${$('diedAt')}::int8 * interval '1 microsecond', ${$('jobId')}::uuid))
  order by died_at desc, id desc limit ${$('limit')}`,
);

const selectOne = `
  select ${row}, job ->> 'headers' as headers, job ->> 'body' as body, job ->> 'answer' as answer, job ->> 'key' as key,
    coalesce((select array_agg(tag) from jsonb_array_elements_text(nullif(job -> 'tags', 'null')) tag), '{}') as tags
  from dead_jobs where id = $1`;

interface WantedParams extends Filter {
  jobId: string | null;
  /** Latest time of death of the jobs, as text in microseconds; null for no limit. */
  until: string | null;
  limit: number;
}

interface ReplayParams extends WantedParams {
  withExpired: boolean;
  perSecond: number | null;
  /** Number of jobs that earlier statements of the same request have replayed. */
  offset: number;
}

const anyDead = { clients: null, cause: null, until: null };
const atOnce = { perSecond: null, offset: 0 };

const isWanted = ($: (param: keyof WantedParams) => string) => `${fits($)}
      and (${$('jobId')}::uuid is null or id = ${$('jobId')})
        and (${$('until')}::text is null or died_at <= ${$('until')}::timestamptz)`;

const discardDead = unnamedStatementOf<WantedParams>(
  ($) => `
  delete from dead_jobs where id in (
    select id from dead_jobs where ${isWanted($)} order by died_at, id limit ${$('limit')}::int4 for update skip locked
  )`,
);

/**
 * Makes dead jobs pending. The ledger then counts a replayed job as pending and no longer as dead. The id of a job
 * determines its partition. An expired job never expires again. Different due times produce the requested rate without
 * further control.
 */
const replayDead = statementOf<ReplayParams>('replay-dead-jobs', ($) => {
  const wanted = isWanted($);
  const hasClient = 'client in (select id from clients)';
  const isExpired = `coalesce(${expiresAt} <= now(), false)`;
  return `
  with k as (
    select id from dead_jobs where ${wanted} and ${hasClient} and (${$('withExpired')} or not ${isExpired})
    order by died_at, id limit ${$('limit')}::int4 for update skip locked
  ), x as (
    delete from dead_jobs d using k where d.id = k.id returning d.*
  ), n as (
    select x.*, ${$('offset')}::int4 + row_number() over (order by died_at, id) - 1 as place from x
  ), j as (
    insert into jobs (partition_id, due_at, id, client, scheduled_for, accepted_at, expires_at, key, method, url,
      headers, body, tags, schedule, repeats, terms, ordering_key, in_order, accept_order, ready_at)
    select get_byte(uuid_send(id), 15) % 64,
      case when job ->> 'orderingKey' is null then due else 'infinity' end,
      id, client, (job ->> 'scheduledFor')::timestamptz, (job ->> 'acceptedAt')::timestamptz,
      case when ${isExpired} then null else ${expiresAt} end,
      job ->> 'key', job ->> 'method', job ->> 'url', job ->> 'headers', job ->> 'body',
      (select array_agg(tag) from jsonb_array_elements_text(nullif(job -> 'tags', 'null')) tag),
      (job ->> 'schedule')::uuid, (job ->> 'repeats')::uuid, job ->> 'terms',
      job ->> 'orderingKey', (job ->> 'inOrder')::boolean, (job ->> 'acceptOrder')::int2,
      case when job ->> 'orderingKey' is not null then due end
    from n cross join lateral (
      select now() + case when ${$('perSecond')}::float8 is null then 0
        else place / ${$('perSecond')}::float8 end * interval '1 second' as due
    ) d
    returning client, ordering_key
  ), w as (${wakeKeys('j')}
  ), t as (
    insert into client_totals as t (client, slot, dead) select client, 0, -count(*) from x group by client
      order by client
    on conflict (client, slot) do update set dead = t.dead + excluded.dead
  )
  select (select count(*)::int from x) as replayed,
    coalesce((select json_agg(json_build_object('clientId', client, 'key', ordering_key)) from j
      where ordering_key is not null), '[]') as woken,
    (select count(*)::int from dead_jobs where ${wanted} and ${hasClient} and not ${$('withExpired')} and ${isExpired})
      as expired,
    (select count(*)::int from dead_jobs where ${wanted} and not ${hasClient} and ${$('jobId')}::uuid is not null)
      as deleted`;
});
