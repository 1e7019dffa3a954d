import type { Pool, PoolClient } from 'pg';
import { plainArray, textArray } from '../../../../../shared/postgres/connection/array-literals.ts';
import { inTransaction } from '../../../../../shared/postgres/connection/transaction.ts';
import { escapeUserId } from '../../../../../shared/domain/ids/user-id.ts';
import { maxRejectsKept, type JudgeUpload, type Upload, type UploadEnd } from '../../../user-files/upload.port.ts';
import { beyondQuota, lockQuotas, type QuotaQuestion } from '../../../../../shared/postgres/registry/account-quotas.ts';
import * as statements from './audience-statements.ts';

/** Paging reads one part at a time: as many users as a page of a segment usually has. */
const usersPerPart = 1000;
/** How often a list says that its rows still come. */
const heardOfEveryMs = 10_000;

export interface UploadDeps {
  pool: Pool;
  uploadPool: Pool;
  audienceId: string;
  /** Of several uploads of a list, the one that may end it. */
  attempt: string;
  /** Of all rows; null where each row has its own. */
  country: string | null;
  asked: QuotaQuestion;
}

/** As the port has it, but that the record is read by the caller. */
export type BegunUpload = Omit<Upload<unknown>, 'finish'> & {
  finish(end: UploadEnd, judge?: JudgeUpload): Promise<boolean>;
};

/**
 * Rows gather in a temporary table, a short statement for each part of the file: no transaction stays open while the
 * sender takes its time, which would keep the vacuum of all tables waiting. They are sorted once, and become visible in
 * one transaction. Whatever ends the connection leaves nothing of them.
 */
export async function beginUpload({
  pool,
  uploadPool,
  audienceId,
  attempt,
  country,
  asked,
}: UploadDeps): Promise<BegunUpload> {
  const client = await uploadPool.connect();
  let heardOfMs = performance.now();
  let bytes = 0;
  let isOver = false;

  /** The connection is closed, and the temporary table with it. */
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
      if (performance.now() - heardOfMs < heardOfEveryMs) return;
      heardOfMs = performance.now();
      await pool.query(statements.hearOf, [audienceId, attempt, bytes]);
      const beyond = await beyondQuota(pool, asked, 0);
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
        // Only where rows repeat a user can one of them name another country: other files pay nothing for the look.
        const repeats = country === null && (parts[0]?.users ?? 0) < read.rows - read.rejected;
        const counted = repeats ? await withSecondCountries(client, read) : read;
        judge?.(counted);
        const { rows, rejected, rejects } = counted;
        // Before its row: an upload that begins in its place takes them in this order.
        await lockQuotas(client, asked);
        const { rowCount } = await client.query(statements.markReady, [audienceId, attempt, rows, rejected]);
        if (rowCount !== 1) return false;
        const beyond = await beyondQuota(client, asked, 0);
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
