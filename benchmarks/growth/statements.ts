import { Client } from 'pg';

/** Cost of one statement of the engine in the database; times in milliseconds. */
export interface StatementCost {
  /** Identical for all calls of the statement, whatever the parameter values. */
  id: string;
  text: string;
  calls: number;
  meanMs: number;
  maxMs: number;
  totalMs: number;
  /** Records that the statement wrote to the log: about one per changed row. */
  walRecords: number;
}

export interface StatementMeter {
  /** Resets all counters. */
  reset(): Promise<void>;
  read(): Promise<StatementCost[]>;
  close(): Promise<void>;
}

/** Settings that PostgreSQL must start with so that the meter can count. */
export const meteredSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': 5000,
} as const;

/** Reads the cost of each statement from PostgreSQL itself, so that the meter needs no knowledge of the engine. */
export async function startStatementMeter(databaseUrl: string): Promise<StatementMeter> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('create extension if not exists pg_stat_statements');
  return {
    reset: async () => {
      await client.query('select pg_stat_statements_reset()');
    },
    read: async () => {
      const { rows } = await client.query<StatementCost>(`
        select queryid::text as id, query as text, calls::int, mean_exec_time as "meanMs", max_exec_time as "maxMs",
               total_exec_time as "totalMs", wal_records::float8 as "walRecords"
        from pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database())
          and query not like '%pg_stat_statements%'
        order by total_exec_time desc`);
      return rows;
    },
    close: () => client.end(),
  };
}

/** Returns a statement in one line, shortened for a table. */
export function shortened(text: string): string {
  const line = text.replace(/--.*$/gm, '').replace(/\s+/g, ' ').replaceAll('|', '/').trim();
  return line.length <= 90 ? line : `${line.slice(0, 60)} … ${line.slice(-28)}`;
}
