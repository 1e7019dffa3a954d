import type { Pool } from 'pg';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { onlyRow } from '../../../../shared/postgres/connection/rows.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { DurationCounts } from '../../../../shared/domain/job/call-durations.ts';
import { endpointIdOf } from '../../../../shared/postgres/jobs/endpoint-ids.ts';

/** Maximum number of jobs that one query reads from each of the 64 partitions: the jobs due first, of all clients. */
const mostOfPartition = 500;
const mostSidelined = 10_000;

export interface EndpointDue {
  due: number;
  oldestMs: number;
}

export interface DueSnapshot {
  /** Due jobs that are not being called, by endpoint. The endpoint `default` has the id of its client. */
  endpoints: ReadonlyMap<string, EndpointDue>;
  /** True if more jobs of any client are due than were read. */
  isPart: boolean;
}

export interface SidelinedLoad {
  endpointId: string;
  sidelined: number;
  circuitOpenSince: Date | null;
}

/** Load of one endpoint at one dispatcher. */
export interface TargetLoadAtDispatcher {
  dispatcher: string;
  region: string;
  endpointId: string;
  /**
   * Number of calls that have not ended; null if the dispatcher has none for the endpoint now and had none in the last
   * minute.
   */
  underWay: number | null;
  slots: number | null;
  lastMinute: number | null;
  /** Durations of the calls to the endpoint in the last ten minutes; null if there were none. */
  durations: DurationCounts | null;
  /** Milliseconds for which the dispatcher has counted durations so far; null before its first report. */
  durationsForMs: number | null;
  credit: number;
}

export type ClientLoads = ReturnType<typeof createClientLoads>;

/** Creates the reader of a client's waiting jobs and of its load on the dispatchers. */
export function createClientLoads({ pool }: { pool: Pool }) {
  return {
    due: async (endpointIds: readonly string[]): Promise<DueSnapshot> => {
      const { rows } = await pool.query<DueRow>(dueNow.with({ endpoints: plainArray(endpointIds) }));
      const { endpoints, isPart } = onlyRow(rows);
      return { endpoints: new Map(Object.entries(endpoints)), isPart };
    },

    aside: async (endpointIds: readonly string[]): Promise<SidelinedLoad[]> => {
      const { rows } = await pool.query<SidelinedLoad>(sidelinedNow.with({ endpoints: plainArray(endpointIds) }));
      return rows;
    },

    /** Returns the load on the dispatchers that take jobs, in the order of the endpoints. */
    atDispatchers: async (endpointIds: readonly string[]): Promise<TargetLoadAtDispatcher[]> => {
      const { rows } = await pool.query<TargetLoadAtDispatcher>(
        atDispatchers.with({ endpoints: plainArray(endpointIds) }),
      );
      return rows;
    },
  };
}

interface DueRow {
  endpoints: Record<string, EndpointDue>;
  isPart: boolean;
}

/**
 * Selects due jobs. Jobs that wait for a report of their receiver are excluded, because their due time is that of the
 * check for the report, not of a call.
 */
const dueNow = statementOf<{ endpoints: string }>(
  'client-due-now',
  ($) => `
  with looked as materialized (
    select p.partition_id, j.due_at, j.id, j.endpoint_id
    from job_partitions p cross join lateral (
      select due_at, id, ${endpointIdOf('jobs')} as endpoint_id from jobs
      where partition_id = p.partition_id and due_at <= now() and report is null
      order by due_at, id limit ${mostOfPartition}
    ) j
  ), own as (
    select l.endpoint_id, count(*)::int as due, (extract(epoch from now() - min(l.due_at)) * 1000)::float8 as oldest_ms
    from looked l
    where l.endpoint_id = any(${$('endpoints')}::uuid[]) and not exists (
      select from job_claims f
      where f.partition_id = l.partition_id and f.due_at = l.due_at and f.id = l.id and f.lease_until > now()
    )
    group by l.endpoint_id
  )
  select
    coalesce((select json_object_agg(endpoint_id, json_build_object('due', due, 'oldestMs', oldest_ms)) from own), '{}')
      as endpoints,
    exists (select from looked group by partition_id having count(*) >= ${mostOfPartition}) as "isPart"`,
);

const sidelinedNow = statementOf<{ endpoints: string }>(
  'client-aside-now',
  ($) => `
  select o.id as "endpointId",
    (select count(*)::int from (
      select from jobs j where ${endpointIdOf('j')} = o.id and j.sideline is not null limit ${mostSidelined}
    ) s) as sidelined,
    (select min(c.opened_at) from host_circuits c where c.endpoint = o.id) as "circuitOpenSince"
  from unnest(${$('endpoints')}::uuid[]) o (id)`,
);

const atDispatchers = statementOf<{ endpoints: string }>(
  'client-at-dispatchers',
  ($) => `
  select n.owner as dispatcher, n.region, o.id as "endpointId", (c.load ->> 'underWay')::int as "underWay",
    (c.load ->> 'slots')::int as slots, (c.load ->> 'lastMinute')::int as "lastMinute",
    n.call_durations -> 'byEndpoint' -> o.id::text as durations,
    (n.call_durations ->> 'forMs')::float8 as "durationsForMs",
    coalesce((n.client_credit ->> o.id::text)::int, n.default_client_credit) as credit
  from job_nodes n join regions r on r.name = n.region and r.active
  cross join unnest(${$('endpoints')}::uuid[]) with ordinality o (id, place)
  cross join lateral (select n.endpoint_calls -> o.id::text as load) c
  where n.kind = 'dispatcher' and n.expires_at > now() and n.default_client_credit is not null
  order by n.region collate "C", n.owner collate "C", o.place`,
);
