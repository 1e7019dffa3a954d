import type { Pool } from 'pg';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { onlyRow } from '../../../../shared/postgres/connection/rows.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { DurationCounts } from '../../../../shared/domain/job/call-durations.ts';
import { outletOf } from '../../../../shared/postgres/jobs/outlets.ts';

/** Oldest due jobs that one look reads of each of the 64 partitions, of all clients. */
const mostOfPartition = 500;
const mostSidelined = 10_000;

export interface OutletDue {
  due: number;
  oldestMs: number;
}

export interface DueLook {
  /** Outlets with due jobs that are not being called. */
  outlets: ReadonlyMap<string, OutletDue>;
  /** True if more jobs are due, of any client, than were read. */
  isPart: boolean;
}

export interface OutletAside {
  outletId: string;
  sidelined: number;
  asideSince: Date | null;
}

/** Load of one outlet at one dispatcher. An outlet is an endpoint, or a client for jobs without one. */
export interface OutletAtDispatcher {
  dispatcher: string;
  region: string;
  outletId: string;
  /** Null if the dispatcher has no calls of the outlet now, and had none in the last minute. */
  underWay: number | null;
  slots: number | null;
  lastMinute: number | null;
  /** Durations of its calls of the last ten minutes; null if there were none. */
  durations: DurationCounts | null;
  /** Milliseconds for which the dispatcher has counted durations; null before its first report. */
  durationsForMs: number | null;
  credit: number;
}

export type ClientLoads = ReturnType<typeof createClientLoads>;

/** Creates the reader of a client's waiting jobs, and of its load at the dispatchers. */
export function createClientLoads({ pool }: { pool: Pool }) {
  return {
    due: async (outletIds: readonly string[]): Promise<DueLook> => {
      const { rows } = await pool.query<DueRow>(dueNow.with({ outlets: plainArray(outletIds) }));
      const { outlets, isPart } = onlyRow(rows);
      return { outlets: new Map(Object.entries(outlets)), isPart };
    },

    aside: async (outletIds: readonly string[]): Promise<OutletAside[]> => {
      const { rows } = await pool.query<OutletAside>(asideNow.with({ outlets: plainArray(outletIds) }));
      return rows;
    },

    /** Returns the load at dispatchers that take jobs, in the order of the outlets. */
    atDispatchers: async (outletIds: readonly string[]): Promise<OutletAtDispatcher[]> => {
      const { rows } = await pool.query<OutletAtDispatcher>(atDispatchers.with({ outlets: plainArray(outletIds) }));
      return rows;
    },
  };
}

interface DueRow {
  outlets: Record<string, OutletDue>;
  isPart: boolean;
}

/** Excludes jobs that wait for their receiver's report: when they are due, they are judged and not called. */
const dueNow = statementOf<{ outlets: string }>(
  'client-due-now',
  ($) => `
  with looked as materialized (
    select p.partition_id, j.due_at, j.id, j.outlet
    from job_partitions p cross join lateral (
      select due_at, id, ${outletOf('jobs')} as outlet from jobs
      where partition_id = p.partition_id and due_at <= now() and report is null
      order by due_at, id limit ${mostOfPartition}
    ) j
  ), own as (
    select l.outlet, count(*)::int as due, (extract(epoch from now() - min(l.due_at)) * 1000)::float8 as oldest_ms
    from looked l
    where l.outlet = any(${$('outlets')}::uuid[]) and not exists (
      select from fires f
      where f.partition_id = l.partition_id and f.due_at = l.due_at and f.id = l.id and f.lease_until > now()
    )
    group by l.outlet
  )
  select coalesce((select json_object_agg(outlet, json_build_object('due', due, 'oldestMs', oldest_ms)) from own), '{}')
      as outlets,
    exists (select from looked group by partition_id having count(*) >= ${mostOfPartition}) as "isPart"`,
);

const asideNow = statementOf<{ outlets: string }>(
  'client-aside-now',
  ($) => `
  select o.id as "outletId",
    (select count(*)::int from (
      select from jobs j where ${outletOf('j')} = o.id and j.sideline is not null limit ${mostSidelined}
    ) s) as sidelined,
    (select min(c.opened_at) from host_circuits c where c.client = o.id) as "asideSince"
  from unnest(${$('outlets')}::uuid[]) o (id)`,
);

const atDispatchers = statementOf<{ outlets: string }>(
  'client-at-dispatchers',
  ($) => `
  select n.owner as dispatcher, n.region, o.id as "outletId", (c.said ->> 'underWay')::int as "underWay",
    (c.said ->> 'slots')::int as slots, (c.said ->> 'lastMinute')::int as "lastMinute",
    n.call_durations -> 'byOutlet' -> o.id::text as durations,
    (n.call_durations ->> 'forMs')::float8 as "durationsForMs",
    coalesce((n.client_credit ->> o.id::text)::int, n.any_client_credit) as credit
  from job_nodes n join regions r on r.name = n.region and r.active
  cross join unnest(${$('outlets')}::uuid[]) with ordinality o (id, place)
  cross join lateral (select n.outlet_calls -> o.id::text as said) c
  where n.kind = 'dispatcher' and n.expires_at > now() and n.any_client_credit is not null
  order by n.region collate "C", n.owner collate "C", o.place`,
);
