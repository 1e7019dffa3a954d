import pg from 'pg';
import type { DatabaseSettings } from '../source.port.ts';

/** Opens a Postgres of another team. Sessions keep the defaults of their role, such as its `search_path`. */
export function openPool({ url, maxConnections }: Pick<DatabaseSettings, 'url' | 'maxConnections'>): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    application_name: 'muster-connectors',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // A connection that breaks is reported by its query; an idle one is replaced by the pool.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
