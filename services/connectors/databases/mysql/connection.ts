import mysql, { type Pool, type PoolConnection } from 'mysql2';
import type { DatabaseSettings } from '../source.port.ts';

const ignore = (): void => undefined;

export function openPool({ url, maxConnections }: Pick<DatabaseSettings, 'url' | 'maxConnections'>): Pool {
  return mysql.createPool({
    uri: url.replace(/^mariadb:/i, 'mysql:'),
    connectionLimit: maxConnections,
    connectTimeout: 10_000,
    charset: 'utf8mb4',
    enableKeepAlive: true,
  });
}

export function connect(pool: Pool): Promise<PoolConnection> {
  return new Promise((resolve, reject) => {
    pool.getConnection((error, connection) => {
      if (error) {
        reject(error);
        return;
      }
      // A connection that breaks is reported by its query.
      connection.removeListener('error', ignore).on('error', ignore);
      resolve(connection);
    });
  });
}

export function run(connection: PoolConnection, statement: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.query(statement, (error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}

/** Returns the statement that limits the time of statements. MariaDB and MySQL name it differently, in other units. */
export async function timeLimitOf(connection: PoolConnection, timeoutMs: number): Promise<string> {
  const isMariaDb = JSON.stringify(await run(connection, 'select version()')).includes('MariaDB');
  return `set session ${isMariaDb ? `max_statement_time = ${timeoutMs / 1000}` : `max_execution_time = ${timeoutMs}`}`;
}

export function closePool(pool: Pool): Promise<void> {
  return new Promise((resolve) => {
    pool.end(() => resolve());
  });
}

/** ER_STATEMENT_TIMEOUT of MariaDB, ER_QUERY_TIMEOUT of MySQL. */
export const timeouts: readonly number[] = [1969, 3024];

/** Faults that pass: shut down, too many connections or statements, lock wait, deadlock, killed, lost connection. */
export const passing: readonly number[] = [1040, 1053, 1077, 1203, 1205, 1213, 1226, 1317, 1927, 2006, 2013];

/** Returns number and SQLSTATE of an error that the server sent; undefined for any other error. */
export function serverErrorOf(error: unknown): { errno: number; sqlState: string } | undefined {
  if (!(error instanceof Error && 'errno' in error && 'sqlState' in error)) return undefined;
  const { errno, sqlState } = error;
  return typeof errno === 'number' && typeof sqlState === 'string' ? { errno, sqlState } : undefined;
}
