import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';

const runsPerStatement = 250;

export interface WaitingRuns {
  runs: number;
  countries: readonly string[];
  chain: readonly { action: string }[];
  /** Rows of totals for each country and step: one for each worker that served the run. */
  slots: number;
  /** Age of the runs in milliseconds; an hour by default. Periodic queries treat runs of up to ten seconds as new. */
  beganMsAgo?: number;
}

/**
 * Adds runs that are completely fed and wait, in the form that the engine leaves. They belong to a campaign without an
 * account. Each country has one batch, whose first step is scheduled for a day later. Rows and sums agree, so that the
 * engine finds nothing to repair.
 */
export async function addWaitingRuns(pool: Pick<Pool, 'query'>, waiting: WaitingRuns): Promise<void> {
  const { runs, countries, chain, slots, beganMsAgo = 3_600_000 } = waiting;
  const campaignId = uuidv7();
  const definition = { name: 'waits', countries, audience: { include: [{ segment: 'all' }] }, chain };
  await pool.query(`insert into campaigns (id, name, state, revision) values ($1, 'waits', 'scheduled', 1)`, [
    campaignId,
  ]);
  await pool.query('insert into revisions (campaign, revision, definition) values ($1, 1, $2)', [
    campaignId,
    { ...definition, schedule: { type: 'now' } },
  ]);
  // All statements count back from one time, because two runs of a campaign must not begin at the same time. It is read
  // as a number, because databases of fault tests print times in other formats.
  const { rows } = await pool.query<{ nowMs: string }>('select (extract(epoch from now()) * 1000)::bigint as "nowMs"');
  const begunAtMs = Number(rows[0]?.nowMs) - beganMsAgo;
  for (let added = 0; added < runs; added += runsPerStatement) {
    const count = Math.min(runsPerStatement, runs - added);
    await pool.query(insertWaiting, [campaignId, count, countries, slots, chain.length, begunAtMs, added]);
  }
  await pool.query('analyze runs, feeds, batches, batch_steps, agenda, run_totals');
}

/** Generates ids that ascend with the time, like the engine's ids, because partitions depend on them. */
const newIdSql = `(lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7'
  || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid`;

const insertWaiting = `
  with r as (
    insert into runs (id, campaign, revision, scheduled_for, state, state_since, deadline_at, started_at)
    select ${newIdSql}, $1, 1, at, 'running', at, now() + interval '2 days', at
    from (select to_timestamp(($6::bigint - $7::int - n) / 1000.0) as at from generate_series(1, $2::int) n) t
    returning id
  ), f as (
    insert into feeds (feed, run, country, segment, snapshot, next_batch_no, fed_users, complete)
    select ${newIdSql}, id, country, 'all', 's1', 2, 1, true from r, unnest($3::text[]) country returning feed
  ), b as (
    insert into batches (feed, batch_no, n, first_user, last_user, users) select feed, 1, 1, 'u', 'u', '"u"' from f
  ), s as (
    insert into batch_steps (feed, batch_no, step, state, epoch, next_attempt_at)
    select feed, 1, 1, 2, 1, now() + interval '1 day' from f
  ), a as (
    insert into agenda (feed, batch_no, step, offer_at) select feed, 1, 1, now() + interval '1 day' from f
  ), m as (
    insert into sweep_marks (feed, step, below) select feed, step, 2 from f, generate_series(1, $5::int) step
  )
  insert into run_totals (feed, step, slot, waiting)
  select feed, step, slot, (step = 1 and slot = 0)::int
  from f, generate_series(1, $5::int) step, generate_series(0, $4::int - 1) slot`;
