import pg, { type PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { GuardedSockets } from '../../../../shared/runtime/egress/guarded-sockets.ts';
import {
  answerWithinMs,
  estimateTimeoutMs,
  SourceError,
  type ServerSettings,
  type SegmentQuery,
  type Source,
} from '../source.port.ts';
import { byUser } from '../attributes.ts';
import { replaceParameters } from '../placeholders.ts';
import { copiedRows } from './copied-rows.ts';
import { openPool } from './open-pool.ts';
import { passingClasses } from './passing-classes.ts';

/** Opens another team's Postgres for reading. */
export function createPostgresSource(
  settings: Pick<ServerSettings, 'url' | 'maxConnections'>,
  sockets: GuardedSockets,
): Source {
  const pool = openPool(settings, sockets);

  async function begin(timeoutMs: number): Promise<PoolClient> {
    const client = await pool.connect();
    try {
      await client.query(`begin read only; set local statement_timeout = ${timeoutMs}`);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async function* rows({ text, timeoutMs }: SegmentQuery, signal: AbortSignal) {
    const client = await begin(timeoutMs).catch(refuse);
    const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + answerWithinMs)]);
    // A read-only transaction needs no commit. Closing the connection also ends a query whose reader has stopped.
    const close = () => client.release(true);
    try {
      ending.throwIfAborted();
      const stream = client.query(copyTo(membersOf(text)));
      const end = () => stream.destroy(new Error('the reading was stopped'));
      ending.addEventListener('abort', end, { once: true });
      yield* copiedRows(stream);
      ending.removeEventListener('abort', end);
    } catch (error) {
      throw sourceErrorOf(error);
    } finally {
      close();
    }
  }

  async function estimate({ text }: SegmentQuery, country: string): Promise<number | null> {
    const client = await begin(estimateTimeoutMs).catch(refuse);
    try {
      const literal = pg.escapeLiteral(country);
      const {
        rows: [plan],
      } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
        `explain (format json) select q.user_id, q.country from (\n${text}\n) q where q.country::text = ${literal}`,
      );
      return plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? null;
    } catch (error) {
      throw sourceErrorOf(error);
    } finally {
      client.release(true);
    }
  }

  async function rowsOf({ text, timeoutMs }: SegmentQuery, users: readonly string[]) {
    const client = await begin(timeoutMs).catch(refuse);
    try {
      const found = await client.query<Record<string, unknown>>(
        replaceParameters(text, () => '($1::text[])'),
        [users],
      );
      await client.query('commit');
      client.release();
      return found.rows;
    } catch (error) {
      client.release(true);
      throw sourceErrorOf(error);
    }
  }

  return {
    rows,
    estimate,
    attributes: async (query, users) => byUser(await rowsOf(query, users)),
    close: () => pool.end(),
  };
}

/**
 * Wraps a segment's query so that its rows are in the byte order of UTF-8, whatever the encoding and collations of the
 * database are.
 */
function membersOf(text: string): string {
  return `copy (select q.user_id::text, q.country::text from (\n${text}\n) q
    order by convert_to(q.user_id::text, 'UTF8'), convert_to(q.country::text, 'UTF8')) to stdout`;
}

function refuse(error: unknown): never {
  throw sourceErrorOf(error);
}

const queryCanceled = '57014';

function sourceErrorOf(error: unknown): SourceError {
  if (!(error instanceof pg.DatabaseError)) return new SourceError('unavailable', error);
  const code = error.code ?? '';
  if (code === queryCanceled && error.message.includes('statement timeout')) return new SourceError('timed-out', error);
  return new SourceError(passingClasses.includes(code.slice(0, 2)) ? 'unavailable' : 'refused', error);
}
