import { randomUUID } from 'node:crypto';
import pg, { type Pool } from 'pg';
import { requireRoom } from './disk-watch.ts';
import { StartRefusedError } from '../../runtime/process/start-refused.ts';

/**
 * Rejects if the database is read-only: a standby, or a former leader. Idle connections are closed then, because the
 * next ones may reach the new leader. Rejects too if the disk of the database is full, as far as this process's
 * statements have shown.
 */
export async function requireWritable(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ readOnly: boolean }>(
    `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "readOnly"`,
  );
  requireRoom(pool);
  if (rows[0]?.readOnly !== true) return;
  await closeIdle(pool);
  throw new Error('the database may only be read: a standby, or default_transaction_read_only is on');
}

async function closeIdle(pool: Pool): Promise<void> {
  for (let idle = pool.idleCount; idle > 0 && pool.idleCount > 0; idle--) {
    const client = await pool.connect();
    client.release(true);
  }
}

const advice =
  'connect to PostgreSQL itself (a proxy that passes on whole connections is fine), or to a pooler in session mode, ' +
  'with ?pooler=session in DATABASE_URL';
const unsupportedStartup = '08P01';
const own = new WeakSet<Pool>();

/**
 * Requires that each connection has a session of its own, as prepared statements, timeouts and session locks do. A
 * pooler that lends connections by transaction, such as PgBouncer, mixes sessions up, or ignores their start-up
 * settings. Checks each pool once, with two concurrent connections.
 * @throws {StartRefusedError}
 */
export async function requireOwnSessions(pool: Pool): Promise<void> {
  if (own.has(pool)) return;
  const cause = await mixedBecause(pool);
  if (cause !== undefined) throw new StartRefusedError(`DATABASE_URL leads to a pooler that ${cause}: ${advice}`);
  own.add(pool);
}

async function mixedBecause(pool: Pool): Promise<string | undefined> {
  try {
    const [one, other] = [await pool.connect(), await pool.connect()];
    try {
      const token = randomUUID();
      await one.query(`select set_config('muster.session', $1, false)`, [token]);
      // With transaction pooling, this connection gets the server connection that the first has just released, and
      // keeps it.
      await other.query('begin');
      const { rows } = await one.query<{ token: string | null; timeout: string }>(
        `select current_setting('muster.session', true) as token,
           current_setting('idle_in_transaction_session_timeout') as timeout`,
      );
      if (rows[0]?.token !== token) return 'lends its connections by transaction (pool_mode=transaction)';
      if (rows[0].timeout === '0') return 'leaves out the settings of a session';
      return undefined;
    } finally {
      // The sessions were changed, so no later caller may get them.
      one.release(true);
      other.release(true);
    }
  } catch (error) {
    const isRefused = error instanceof pg.DatabaseError && error.code === unsupportedStartup;
    if (isRefused) return `refuses what a session needs (${error.message})`;
    throw error;
  }
}
