import { createEmptyTestDatabase } from '../../support/postgres-database.ts';
import { until } from './until.ts';
import { openTestPool } from '../../support/test-pool.ts';

/** Key of the advisory locks that hold back commits. */
const commitLocks = 39;

/** A shop's own database, with customers in two countries and a table of points. */
export interface Shop {
  /** Returns the database address for one process of the connectors. `holdNextCommit` can delay its commits. */
  urlFor(instance: number): string;
  /** Users by country. */
  audience(): Promise<Map<string, string[]>>;
  /** Credits by user. */
  credits(run: string): Promise<Map<string, number>>;
  /**
   * Resolves when the process of this number waits in the commit of its credits. Returns a function that lets the
   * commit continue.
   */
  holdNextCommit(instance: number): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Creates a shop with this many customers, `c0` and so on. The shop refuses to credit every fiftieth customer. */
export async function createShop(customers: number): Promise<Shop> {
  const database = await createEmptyTestDatabase();
  const pool = openTestPool({ connectionString: database.url, max: 2 });
  await pool.query(`
    create table customers (id text collate "C" primary key, country text, email text, name text, is_blocked bool);
    insert into customers
      select 'c' || i, case when i % 3 = 0 then 'VN' else 'SG' end, 'c' || i || '@mail.test', 'Name ' || i, i % 50 = 0
      from generate_series(0, ${customers - 1}) i;
    analyze customers;
    create table points (run text, user_id text, points int);
    create table muster_results (
      run text, step int, user_id text collate "C", code text, primary key (run, step, user_id));
    create function await_commit_lock() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(${commitLocks}, current_setting('shop.instance')::int);
        return null;
      end $$;
    -- Deferred triggers run in the commit.
    create constraint trigger at_commit after insert on points deferrable initially deferred
      for each row execute function await_commit_lock();
  `);

  return {
    urlFor: (instance) => {
      const url = new URL(database.url);
      url.searchParams.set('options', `-c shop.instance=${instance}`);
      return url.href;
    },
    audience: async () => {
      const { rows } = await pool.query<{ country: string; users: string[] }>(
        'select country, array_agg(id) as users from customers group by country',
      );
      return new Map(rows.map(({ country, users }) => [country, users]));
    },
    credits: async (run) => {
      const { rows } = await pool.query<{ user_id: string; times: number }>(
        'select user_id, count(*)::int as times from points where run = $1 group by user_id',
        [run],
      );
      return new Map(rows.map(({ user_id, times }) => [user_id, times]));
    },
    holdNextCommit: async (instance) => {
      const client = await pool.connect();
      await client.query('select pg_advisory_lock($1, $2)', [commitLocks, instance]);
      await until('a commit waits', async () => {
        const { rowCount } = await pool.query(
          `select from pg_locks where locktype = 'advisory' and classid = $1 and objid = $2 and not granted`,
          [commitLocks, instance],
        );
        return (rowCount ?? 0) > 0;
      });
      return async () => {
        await client.query('select pg_advisory_unlock($1, $2)', [commitLocks, instance]);
        client.release();
      };
    },
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
