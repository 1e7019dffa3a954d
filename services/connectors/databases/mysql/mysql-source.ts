import type { PoolConnection } from 'mysql2';
import { z } from 'zod';
import type { GuardedSockets } from '../../../../shared/runtime/egress/guarded-sockets.ts';
import { byUser } from '../attributes.ts';
import { replaceParameters } from '../placeholders.ts';
import {
  answerWithinMs,
  estimateTimeoutMs,
  SourceError,
  type ServerSettings,
  type SegmentQuery,
  type Source,
  type SourceRow,
} from '../source.port.ts';
import {
  closePool,
  connect,
  execute,
  marksFor,
  openPool,
  passing,
  run,
  serverErrorOf,
  timeLimitOf,
  timeouts,
} from './connection.ts';

const foundRows = z.array(z.record(z.string(), z.unknown()));

/** Rows that are passed on together. */
const chunkRows = 2000;

/** Opens another team's MySQL or MariaDB for reading. */
export function createMysqlSource(
  settings: Pick<ServerSettings, 'url' | 'maxConnections'>,
  sockets: GuardedSockets,
): Source {
  const pool = openPool(settings, sockets);

  async function begin(timeoutMs: number): Promise<PoolConnection> {
    const connection = await connect(pool);
    try {
      await run(connection, await timeLimitOf(connection, timeoutMs));
      await run(connection, 'start transaction read only');
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  async function* rows({ text, timeoutMs }: SegmentQuery, signal: AbortSignal) {
    const connection = await begin(timeoutMs).catch(refuse);
    const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + answerWithinMs)]);
    try {
      ending.throwIfAborted();
      const stream = connection.query({ sql: membersOf(text), rowsAsArray: true }).stream({ highWaterMark: chunkRows });
      // The library reports a lost connection only on the connection. Without this listener, the stream would wait
      // forever.
      connection.on('error', (error: Error) => stream.destroy(error));
      const end = () => stream.destroy(new Error('the reading was stopped'));
      ending.addEventListener('abort', end, { once: true });
      yield* chunksOf(stream);
      ending.removeEventListener('abort', end);
    } catch (error) {
      throw sourceErrorOf(error);
    } finally {
      // Closing the connection also ends a query whose reader has stopped.
      connection.destroy();
    }
  }

  async function estimate({ text }: SegmentQuery): Promise<number | null> {
    const connection = await begin(estimateTimeoutMs).catch(refuse);
    try {
      await prepare(connection, membersOf(text));
      // The server's plans estimate the rows of each table, not of the result.
      return null;
    } catch (error) {
      throw sourceErrorOf(error);
    } finally {
      connection.destroy();
    }
  }

  async function rowsOf({ text, timeoutMs }: SegmentQuery, users: readonly string[]) {
    const connection = await begin(timeoutMs).catch(refuse);
    try {
      const values: string[] = [];
      const sql = replaceParameters(text, () => {
        values.push(...users);
        return marksFor(users);
      });
      const found = await execute(connection, sql, values);
      await run(connection, 'commit');
      connection.release();
      return foundRows.parse(found.rows);
    } catch (error) {
      connection.destroy();
      throw sourceErrorOf(error);
    }
  }

  return {
    rows,
    estimate,
    attributes: async (query, users) => byUser(await rowsOf(query, users)),
    close: () => closePool(pool),
  };
}

async function* chunksOf(stream: AsyncIterable<[string | null, string | null]>): AsyncGenerator<SourceRow[]> {
  let chunk: SourceRow[] = [];
  for await (const [userId, country] of stream) {
    chunk.push({ userId, country });
    if (chunk.length < chunkRows) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/**
 * Wraps a segment's query so that its rows are in the byte order of UTF-8, whatever the collations of the database are.
 */
function membersOf(text: string): string {
  return `select convert(q.user_id using utf8mb4), convert(q.country using utf8mb4) from (\n${text}\n) q
    order by cast(convert(q.user_id using utf8mb4) as binary), cast(convert(q.country using utf8mb4) as binary)`;
}

function prepare(connection: PoolConnection, statement: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.prepare(statement, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

function refuse(error: unknown): never {
  throw sourceErrorOf(error);
}

function sourceErrorOf(error: unknown): SourceError {
  const errno = serverErrorOf(error)?.errno;
  if (errno === undefined || passing.includes(errno)) return new SourceError('unavailable', error);
  return new SourceError(timeouts.includes(errno) ? 'timed-out' : 'refused', error);
}
