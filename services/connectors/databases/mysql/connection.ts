import mysql, { type FieldPacket, type Pool, type PoolConnection } from 'mysql2';
import { placeOf } from '../../../../shared/runtime/egress/address-guard.ts';
import type { GuardedSockets } from '../../../../shared/runtime/egress/guarded-sockets.ts';
import type { ServerSettings } from '../source.port.ts';

/** Prepared statements that a connection keeps. By default, a server allows 16,382 for all connections together. */
const maxPreparedStatements = 50;
const usualPort = 3306;

const ignore = (): void => undefined;

export function openPool(
  { url, maxConnections }: Pick<ServerSettings, 'url' | 'maxConnections'>,
  sockets: GuardedSockets,
): Pool {
  const place = placeOf(new URL(url), usualPort);
  return mysql.createPool({
    uri: url.replace(/^mariadb:/i, 'mysql:'),
    connectionLimit: maxConnections,
    connectTimeout: 10_000,
    charset: 'utf8mb4',
    // Integers that a double cannot represent exactly are returned as text.
    supportBigNumbers: true,
    maxPreparedStatements,
    // Keep-alive is set here because the library sets it only for sockets that it opens itself.
    stream: () => sockets.open(place).setKeepAlive(true).setNoDelay(true),
  });
}

export function connect(pool: Pool): Promise<PoolConnection> {
  return new Promise((resolve, reject) => {
    pool.getConnection((error, connection) => {
      if (error) {
        reject(error);
        return;
      }
      // The error of a broken connection is reported by its query.
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

export type Value = string | number | null;

export interface Executed {
  rows: unknown;
  columns: readonly string[];
}

/**
 * Executes a prepared statement. Values are sent separately from the text, so that no mode of the server can interpret
 * a value as a part of the statement.
 */
export function execute(connection: PoolConnection, sql: string, values: readonly Value[]): Promise<Executed> {
  return new Promise((resolve, reject) => {
    connection.execute(sql, [...values], (error: unknown, rows: unknown, fields: FieldPacket[] | undefined) => {
      if (error instanceof Error) reject(error);
      else resolve({ rows, columns: fields?.map(({ name }) => name) ?? [] });
    });
  });
}

export function marksFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

/** Returns the statement that limits the duration of statements. MariaDB and MySQL use different names and units. */
export async function timeLimitOf(connection: PoolConnection, timeoutMs: number): Promise<string> {
  const isMariaDb = JSON.stringify(await run(connection, 'select version()')).includes('MariaDB');
  return `set session ${isMariaDb ? `max_statement_time = ${timeoutMs / 1000}` : `max_execution_time = ${timeoutMs}`}`;
}

export function closePool(pool: Pool): Promise<void> {
  return new Promise((resolve) => {
    pool.end(() => resolve());
  });
}

/** Error numbers of timeouts: ER_STATEMENT_TIMEOUT of MariaDB, ER_QUERY_TIMEOUT of MySQL. */
export const timeouts: readonly number[] = [1969, 3024];

/**
 * Error numbers of temporary faults: shutdown, too many connections or statements, lock wait, deadlock, killed, lost
 * connection.
 */
export const passing: readonly number[] = [1040, 1053, 1077, 1203, 1205, 1213, 1226, 1317, 1927, 2006, 2013];

/** Returns number and SQLSTATE of an error that the server sent; undefined for any other error. */
export function serverErrorOf(error: unknown): { errno: number; sqlState: string } | undefined {
  if (!(error instanceof Error && 'errno' in error && 'sqlState' in error)) return undefined;
  const { errno, sqlState } = error;
  return typeof errno === 'number' && typeof sqlState === 'string' ? { errno, sqlState } : undefined;
}
