import type pg from 'pg';
import { connectClient, openPool } from '../../../shared/postgres/connection/servers/servers.ts';
import { until } from './until.ts';

/** The engine's database as a test looks at it, over connections of its own. */
export interface Observer {
  rows<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  count(sql: string, values?: unknown[]): Promise<number>;
  /** Holds a lock that the statement takes, so that the engine is certainly in the statement that needs it. */
  hold(sql: string): Promise<HeldLock>;
  end(): Promise<void>;
}

export interface HeldLock {
  /** Resolves when this many statements that contain `part` wait for a lock. */
  awaitWaiting(part: string, statements?: number): Promise<void>;
  release(): Promise<void>;
}

export function observe(databaseUrl: string): Observer {
  const pool = openPool(databaseUrl, { max: 4, application_name: 'faults', query_timeout: 5000 });
  pool.on('error', () => undefined);

  async function rows<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await pool.query<Row>(sql, values)).rows;
  }

  async function count(sql: string, values: unknown[] = []): Promise<number> {
    const [row] = await rows<{ count: string }>(`select count(*) from (${sql}) counted`, values);
    return Number(row?.count ?? 0);
  }

  return {
    rows,
    count,
    hold: async (sql) => {
      // The end of all sessions, or of the server, releases the lock as well.
      const client = await connectClient(databaseUrl, { application_name: 'faults' });
      await client.query('begin');
      await client.query(sql);
      return {
        awaitWaiting: async (part, statements = 1) => {
          await until(`${statements} statements wait that hold "${part}"`, async () => {
            const waiting = await count(
              `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                and query ilike '%' || $1 || '%' and application_name <> 'faults'`,
              [part],
            );
            return waiting >= statements;
          });
        },
        release: () => client.end().catch(() => undefined),
      };
    },
    end: () => pool.end(),
  };
}
