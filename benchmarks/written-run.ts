import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';

/**
 * Users per batch. This file has what benchmarks share that read a run: SQL writes the run in the form that the engine
 * leaves.
 */
export const batchUsers = 100;

/** Returns the id of a user. Ids have a fixed length, so that they sort like their numbers. */
export function userOf(index: number): string {
  return `user-${String(index).padStart(9, '0')}`;
}

/**
 * Returns the SQL expression for a user's id, equal to `userOf`. `b` is the batch number, $4 the number of the run's
 * batches in earlier feeds.
 * @param place SQL expression for the user's position in the batch
 */
export const nameIn = (place: string) =>
  `'user-' || lpad(((($4::int + b - 1) * ${batchUsers}) + ${place})::text, 9, '0')`;

/** Writes a run that took an hour and ended with failures. @returns uuid of the run, which has no feeds yet */
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
  /** Number of the run's batches in earlier feeds. */
  first: number;
  batches: number;
}

/** Batches are written in chunks, so that no statement exceeds the statement timeout. */
const batchesPerStatement = 2000;

/**
 * Writes a completely fed feed with its batches.
 * @param more statements for each chunk: $1 feed, $2 and $3 first and last batch, $4 number of the run's batches in
 * earlier feeds
 * @returns uuid of the feed
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
