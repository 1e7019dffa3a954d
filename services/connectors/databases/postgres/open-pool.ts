import pg from 'pg';
import type { GuardedSockets } from '../../../../shared/runtime/egress/guarded-sockets.ts';
import type { ServerSettings } from '../source.port.ts';

/** Opens another team's Postgres. Sessions keep the defaults of their role, such as its `search_path`. */
export function openPool(
  { url, maxConnections }: Pick<ServerSettings, 'url' | 'maxConnections'>,
  sockets: GuardedSockets,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    application_name: 'muster-connectors',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    stream: () => sockets.unconnected(),
  });
  // The error of a broken connection is reported by its query, and the pool replaces broken idle connections.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
