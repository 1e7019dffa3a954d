import type { Pool } from 'pg';
import { partitionCount } from '../../../../shared/domain/partitioning.ts';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { endpointIdOf } from '../../../../shared/postgres/jobs/endpoint-ids.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { JobCounts } from '../client-usage.ts';

/** Maximum number of rows that one forecast reads in all partitions. Reading them takes about 50 ms. */
const maxRowsRead = 40_000;
/**
 * Maximum number of rows that are read from one partition, earliest due time first. If more are due, later minutes of
 * the partition are not counted.
 */
const maxRowsOfPartition = 20_000;

export interface MinuteCalls {
  /** Beginning of the minute, in milliseconds since 1970. */
  atMs: number;
  calls: number;
}

export interface MinuteForecast {
  minutes: MinuteCalls[];
  /** Number of partitions that were counted, of 64. If it is less than 64, the calls are an estimate. */
  partitions: number;
}

export type ClientFigures = ReturnType<typeof createClientFigures>;

export function createClientFigures({ pool }: { pool: Pool }) {
  return {
    /** Returns the job counts by client. Clients that have never had a job are omitted. */
    counts: async (clientIds: readonly string[]): Promise<ReadonlyMap<string, JobCounts>> => {
      const { rows } = await pool.query<CountsRow>(countsOf.with({ clients: plainArray(clientIds) }));
      return new Map(rows.map(({ client, ...counts }) => [client, counts]));
    },

    /**
     * Returns the calls due in the next hours, by minute. The number of rows read is bounded: few jobs are counted
     * exactly, many are estimated from some partitions.
     * @param endpointId an endpoint; the id of a client means its endpoint `default`
     */
    forecast: async (endpointId: string, hours: number): Promise<MinuteForecast> => {
      let partitions = 0;
      let read = 0;
      const calls = new Map<number, number>();
      while (partitions < partitionCount && read < maxRowsRead) {
        const { rows } = await pool.query<DueRow>(dueIn.with({ endpointId, hours, partition: partitions }));
        partitions++;
        for (const { atMs, mine, all } of rows) {
          read += all;
          if (mine > 0) calls.set(atMs, (calls.get(atMs) ?? 0) + mine);
        }
      }
      return scaled(calls, partitions);
    },
  };
}

function scaled(calls: ReadonlyMap<number, number>, partitions: number): MinuteForecast {
  const factor = partitionCount / partitions;
  const minutes = [...calls].sort(([a], [b]) => a - b);
  return { partitions, minutes: minutes.map(([atMs, count]) => ({ atMs, calls: Math.round(count * factor) })) };
}

type CountsRow = JobCounts & { client: string };

const countsOf = statementOf<{ clients: string }>(
  'client-counts',
  ($) => `
  select client, sum(accepted)::float8 as accepted,
    sum(accepted - called - expired - cancelled - dead)::float8 as stored
  from client_totals where client = any(${$('clients')}::uuid[]) group by client`,
);

interface DueRow {
  atMs: number;
  mine: number;
  all: number;
}

/** Counts one partition. Jobs are spread evenly over the partitions, so each partition is a sample of all jobs. */
const dueIn = statementOf<{ endpointId: string; hours: number; partition: number }>(
  'jobs-due-in',
  ($) => `
  select (extract(epoch from date_trunc('minute', d.due_at)) * 1000)::float8 as "atMs",
    (count(*) filter (where d.endpoint_id = ${$('endpointId')}::uuid))::int as mine, count(*)::int as "all"
  from (
    select due_at, ${endpointIdOf('jobs')} as endpoint_id from jobs
    where partition_id = ${$('partition')}::int2 and due_at < now() + ${$('hours')}::float8 * interval '1 hour'
    and report is null
    order by due_at, id limit ${maxRowsOfPartition}
  ) d group by 1`,
);
