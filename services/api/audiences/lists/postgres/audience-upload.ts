import type { Pool, PoolClient } from 'pg';
import { plainArray, textArray } from '../../../../../shared/postgres/connection/array-literals.ts';
import { inTransaction } from '../../../../../shared/postgres/connection/transaction.ts';
import { escapeUserId } from '../../../../../shared/domain/ids/user-id.ts';
import { maxRejectsKept, type JudgeUpload, type Upload, type UploadEnd } from '../../../user-files/upload.port.ts';
import { beyondQuota, lockQuotas, type QuotaQuestion } from '../../../../../shared/postgres/registry/account-quotas.ts';
import * as statements from './audience-statements.ts';

/**
 * Number of users in one part of a stored list. Paging reads one part at a time. A part is about as large as a page of
 * a segment usually is.
 */
const usersPerPart = 1000;
/** Minimum interval between two updates of an upload's progress, in milliseconds. */
const progressEveryMs = 10_000;

export interface UploadDeps {
  pool: Pool;
  uploadPool: Pool;
  audienceId: string;
  /** Distinguishes this upload from other uploads of the same list. Only the current attempt may finish the list. */
  attempt: string;
  /** Country of all rows; null if the rows have a column of countries. */
  country: string | null;
  quota: QuotaQuestion;
}

/**
 * Upload as the port declares it, but `finish` only returns whether the list is ready. The caller then reads the record
 * of the list.
 */
export type BegunUpload = Omit<Upload<unknown>, 'finish'> & {
  finish(end: UploadEnd, judge?: JudgeUpload): Promise<boolean>;
};

/**
 * Collects rows in a temporary table, with a short statement for each part of the file: a transaction that stays open
 * while the sender is slow would block the vacuum of all tables. The rows are sorted once, and become visible in one
 * transaction. If the connection ends before that, no row remains.
 */
export async function beginUpload({
  pool,
  uploadPool,
  audienceId,
  attempt,
  country,
  quota,
}: UploadDeps): Promise<BegunUpload> {
  const client = await uploadPool.connect();
  let progressAtMs = performance.now();
  let bytes = 0;
  let isOver = false;

  /** Closes the connection. Postgres then drops the temporary table. */
  function end(): void {
    if (isOver) return;
    isOver = true;
    client.release(true);
  }

  try {
    await client.query(statements.createRows);
  } catch (error) {
    client.release(true);
    throw error;
  }

  return {
    add: async ({ countries, users, lines }) => {
      const kept = plainArray(country === null ? lines : []);
      const ids = users.join('\n');
      await client.query(statements.insertRows, [countries.join('\n'), ids, kept]);
      bytes += Buffer.byteLength(ids);
      if (performance.now() - progressAtMs < progressEveryMs) return;
      progressAtMs = performance.now();
      await pool.query(statements.updateProgress, [audienceId, attempt, bytes]);
      const beyond = await beyondQuota(pool, quota, 0);
      if (beyond) throw beyond;
    },
    finish: async (read, judge) => {
      try {
        await client.query('begin');
        await client.query(`set local work_mem = '64MB'`);
        await client.query('delete from audience_parts where audience = $1', [audienceId]);
        const { rows: parts } = await client.query<{ users: number }>(statements.insertParts, [
          audienceId,
          usersPerPart,
        ]);
        // A user can have two countries only if the file repeats users. For files without repeats, this query is
        // skipped.
        const repeats = country === null && (parts[0]?.users ?? 0) < read.rows - read.rejected;
        const counted = repeats ? await withSecondCountries(client, read) : read;
        judge?.(counted);
        const { rows, rejected, rejects } = counted;
        // The quotas are locked before the row of the list. An upload that replaces this one uses the same order, so
        // the two cannot deadlock.
        await lockQuotas(client, quota);
        const { rowCount } = await client.query(statements.markReady, [audienceId, attempt, rows, rejected]);
        if (rowCount !== 1) return false;
        const beyond = await beyondQuota(client, quota, 0);
        if (beyond) throw beyond;
        await writeRejects(client, audienceId, rejects);
        await client.query('commit');
        return true;
      } finally {
        end();
      }
    },
    fail: async (cause, { rows, rejected, rejects }) => {
      end();
      await inTransaction(pool, async (other) => {
        const { rowCount } = await other.query(
          statements.markFailed.with({ audienceId, attempt, cause, rows, rejected }),
        );
        if (rowCount === 1) await writeRejects(other, audienceId, rejects);
      });
    },
  };
}

async function withSecondCountries(client: PoolClient, { rows, rejected, rejects }: UploadEnd): Promise<UploadEnd> {
  const found = await client.query<{ line: number; user: string; all: number }>(statements.secondCountries, [
    maxRejectsKept,
  ]);
  const more = found.rows.map(({ line, user }) => {
    return { line, value: escapeUserId(user), rule: 'second-country' as const };
  });
  return {
    rows,
    rejected: rejected + (found.rows[0]?.all ?? 0),
    rejects: [...rejects, ...more].toSorted((a, b) => a.line - b.line).slice(0, maxRejectsKept),
  };
}

async function writeRejects(client: PoolClient, audienceId: string, rejects: UploadEnd['rejects']): Promise<void> {
  await client.query('delete from audience_rejects where audience = $1', [audienceId]);
  await client.query(statements.insertRejects, [
    audienceId,
    plainArray(rejects.map(({ line }) => line)),
    textArray(rejects.map(({ value }) => value)),
    plainArray(rejects.map(({ rule }) => rule)),
  ]);
}
