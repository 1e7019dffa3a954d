import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';

/** A run as the engine leaves it, written by SQL: what all benchmarks that read one have in common. */
export const batchUsers = 100;

/** Ids ascend as texts do. */
export function userOf(index: number): string {
  return `user-${String(index).padStart(9, '0')}`;
}

/** The same in SQL. `b` is the batch, $4 the batches of the run before its feed. @param place in the batch, as SQL */
export const nameIn = (place: string) =>
  `'user-' || lpad(((($4::int + b - 1) * ${batchUsers}) + ${place})::text, 9, '0')`;

/** @returns the uuid of a run that took an hour, ended with failures, and has no feeds yet */
export async function writeEndedRun(pool: Pool, definition: { name: string }): Promise<string> {
  const [campaignId, runId] = [uuidv7(), uuidv7()];
  await pool.query(`insert into campaigns (id, name, state, revision) values ($1, $2, 'scheduled', 1)`, [
    campaignId,
    definition.name,
  ]);
  await pool.query('insert into revisions (campaign, revision, definition) values ($1, 1, $2)', [
    campaignId,
    definition,
  ]);
  await pool.query(
    `insert into runs (id, campaign, revision, scheduled_for, state, deadline_at, started_at, ended_at)
     values ($1, $2, 1, now() - interval '1 hour', 'completed_with_failures', now(), now() - interval '1 hour', now())`,
    [runId, campaignId],
  );
  return runId;
}

export interface WrittenFeed {
  runId: string;
  country: string;
  /** Batches of the run before this feed. */
  first: number;
  batches: number;
}

/** In chunks: no statement is longer than statements may take. */
const batchesPerStatement = 2000;

/**
 * A feed that is fed whole, with its batches.
 * @param more statements for each chunk: $1 feed, $2 and $3 first and last batch, $4 batches of the run before this
 * feed
 * @returns its uuid
 */
export async function writeFeed(pool: Pool, feed: WrittenFeed, more: readonly string[]): Promise<string> {
  const { runId, country, first, batches } = feed;
  const feedId = uuidv7();
  const cursor = JSON.stringify(userOf((first + batches) * batchUsers - 1));
  await pool.query(
    `insert into feeds (feed, run, country, segment, snapshot, cursor, next_batch_no, fed_users, complete)
     values ($1, $2, $3, 'all', 's1', $4, $5, $6, true)`,
    [feedId, runId, country, cursor, batches + 1, batches * batchUsers],
  );
  for (let from = 1; from <= batches; from += batchesPerStatement) {
    const values = [feedId, from, Math.min(batches, from + batchesPerStatement - 1), first];
    for (const text of [insertBatches, ...more]) await pool.query(text, values);
  }
  return feedId;
}

const insertBatches = `
  insert into batches (feed, batch_no, n, first_user, last_user, users)
  select $1, b, ${batchUsers}, ${nameIn('0')}, ${nameIn(String(batchUsers - 1))},
    (select string_agg('"' || ${nameIn('u')} || '"', ',' order by u) from generate_series(0, ${batchUsers - 1}) u)
  from generate_series($2::int, $3::int) b`;
