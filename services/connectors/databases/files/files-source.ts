import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from '@duckdb/node-api';
import pLimit, { type LimitFunction } from 'p-limit';
import { byUser } from '../attributes.ts';
import { replaceParameters } from '../placeholders.ts';
import {
  estimateTimeoutMs,
  SourceError,
  type FilesSettings,
  type SegmentQuery,
  type Source,
  type SourceRow,
} from '../source.port.ts';

/**
 * Threads of DuckDB for all queries of the process. The number is small because the process serves pages at the same
 * time.
 */
const threads = 2;

/**
 * Opens a directory of CSV, JSON and Parquet files for reading with DuckDB. A query refers to files by their absolute
 * path, and cannot read files outside of the directory.
 */
export function createFilesSource({
  directory,
  memoryMb,
  maxConnections,
}: Omit<FilesSettings, 'name' | 'kind'>): Source {
  const limit = pLimit(maxConnections);
  const temporary = join(tmpdir(), `muster-files-${randomUUID()}`);
  let opened: Promise<DuckDBInstance> | undefined;

  async function open(): Promise<DuckDBInstance> {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const instance = await DuckDBInstance.create(':memory:', { threads: String(threads) });
    const connection = await instance.connect();
    // Locking the configuration comes last; afterwards no query can change it.
    for (const setting of [
      `memory_limit = '${memoryMb}MB'`,
      `temp_directory = ${literal(temporary)}`,
      `allowed_directories = [${literal(directory)}]`,
      'enable_external_access = false',
      'lock_configuration = true',
    ])
      await connection.run(`set ${setting}`);
    connection.closeSync();
    return instance;
  }

  async function connect(): Promise<DuckDBConnection> {
    opened ??= open();
    try {
      return await (await opened).connect();
    } catch (error) {
      opened = undefined;
      throw new SourceError('unavailable', error);
    }
  }

  /**
   * Runs a single reading statement. Further statements in the text are refused, and only reading statements can be
   * part of a `select`.
   */
  async function* read<Part>(
    { text, timeoutMs }: SegmentQuery,
    partsOf: (result: DuckDBResult) => AsyncIterable<Part>,
    signal?: AbortSignal,
  ): AsyncGenerator<Part> {
    const connection = await connect();
    const timeout = AbortSignal.timeout(timeoutMs);
    const ending = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const interrupt = () => connection.interrupt();
    ending.addEventListener('abort', interrupt, { once: true });
    // DuckDB ends an interrupted result like a complete one, so the interruption has to be checked.
    const requireWhole = () => {
      if (timeout.aborted) throw new SourceError('timed-out', `the query took longer than ${timeoutMs} ms`);
      if (ending.aborted) throw new SourceError('unavailable', 'the reading was stopped');
    };
    try {
      requireWhole();
      const statement = await connection.prepare(text);
      for await (const part of partsOf(await statement.stream())) {
        requireWhole();
        yield part;
      }
      requireWhole();
    } catch (error) {
      requireWhole();
      throw error instanceof SourceError ? error : new SourceError('refused', firstLineOf(error));
    } finally {
      ending.removeEventListener('abort', interrupt);
      connection.closeSync();
    }
  }

  async function* rows({ text, timeoutMs }: SegmentQuery, signal: AbortSignal): AsyncGenerator<SourceRow[]> {
    const release = await occupy(limit);
    try {
      const query = { text: membersOf(text), timeoutMs };
      for await (const part of read(query, (result) => result.yieldRowsJs(), signal))
        yield part.map(([userId, country]) => ({ userId: textOf(userId), country: textOf(country) }));
    } finally {
      release();
    }
  }

  async function attributes({ text, timeoutMs }: SegmentQuery, users: readonly string[]) {
    const list = `([${users.map(literal).join(', ')}]::varchar[])`;
    const query = { text: `select * from (\n${replaceParameters(text, () => list)}\n) q`, timeoutMs };
    const release = await occupy(limit);
    try {
      const found: Record<string, unknown>[] = [];
      for await (const part of read(query, (result) => result.yieldRowObjectJs())) found.push(...part);
      return byUser(found);
    } finally {
      release();
    }
  }

  return {
    rows,
    attributes,
    estimate: async ({ text }) => {
      const query = { text: `explain ${membersOf(text)}`, timeoutMs: estimateTimeoutMs };
      for await (const _ of read(query, (result) => result.yieldRowsJs())) continue;
      // The plan estimates the rows of each file, not the rows of the result in one country.
      return null;
    },
    close: async () => {
      await opened?.then((instance) => instance.closeSync()).catch(() => undefined);
      await rm(temporary, { recursive: true, force: true });
    },
  };
}

/** Wraps a segment's query so that its rows are in the byte order of UTF-8, which is DuckDB's default collation. */
function membersOf(text: string): string {
  return `select q.user_id::varchar, q.country::varchar from (\n${text}\n) q order by 1, 2`;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Waits until a query slot is free. Resolves with a function that releases the slot. */
function occupy(limit: LimitFunction): Promise<() => void> {
  return new Promise((resolve) => void limit(() => new Promise<void>((release) => resolve(release))));
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns an error's message without the statement, which DuckDB quotes after an empty line. */
function firstLineOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n\n')[0] ?? '';
}
