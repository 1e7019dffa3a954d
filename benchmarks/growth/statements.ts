import { Client } from 'pg';

/** What one statement of the engine cost the database; times in milliseconds. */
export interface StatementCost {
  /** The same for the same statement, whatever its values. */
  id: string;
  text: string;
  calls: number;
  meanMs: number;
  maxMs: number;
  totalMs: number;
  /** What it wrote to the log, in records: about one per row changed. */
  walRecords: number;
}

export interface StatementMeter {
  /** Forgets what was counted. */
  reset(): Promise<void>;
  read(): Promise<StatementCost[]>;
  close(): Promise<void>;
}

/** PostgreSQL has to be started with these for the meter to count. */
export const meteredSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': 5000,
} as const;

/** Asks PostgreSQL itself what each statement costs it, so that nothing need be known of the engine that sends them. */
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

/** A statement in one line, as short as a table wants it. */
export function shortened(text: string): string {
  const line = text.replace(/--.*$/gm, '').replace(/\s+/g, ' ').replaceAll('|', '/').trim();
  return line.length <= 90 ? line : `${line.slice(0, 60)} … ${line.slice(-28)}`;
}
