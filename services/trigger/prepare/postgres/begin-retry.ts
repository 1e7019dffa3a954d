import type { PoolClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { UsersByCountry } from '../../../../shared/domain/approval/user-bounds.ts';
import { standingFailures } from '../../../../shared/postgres/ledger/standing-failures.ts';
import type { ClearedRun } from '../../ports/run-approvals.ts';

/** Timeout: storing a million users takes about ten seconds. */
const timeoutMs = 600_000;

/** Begins a retry run: stores its users, and a feed for each country, variant and step. Call inside a transaction. */
export async function beginRetry(
  client: PoolClient,
  runId: string,
  { clearedBy: { policy, approvalId }, usersAtMost }: ClearedRun,
): Promise<number | null> {
  const { rows: runs } = await client.query<RetryRow>(lockPreparing, [runId, policy, approvalId]);
  const [run] = runs;
  if (!run) return null;
  const { rows: places } = await client.query<{ country: string; variant: number | null; step: number }>(selectPlaces, [
    runId,
  ]);
  const feeds = {
    runId,
    feeds: places.map(() => uuidv7()),
    ofCountries: places.map(({ country }) => country),
    ofVariants: places.map(({ variant }) => variant),
    ofSteps: places.map(({ step }) => step),
  };
  await client.query(notePrices, [runId]);
  const users = { ...insertUsers.with({ ...feeds, ...run.retry }), query_timeout: timeoutMs };
  await client.query(users);
  const { rows } = await client.query<{ users: number }>(insertFeeds.with({ ...feeds, usersAtMost }));
  const count = rows.reduce((sum, feed) => sum + feed.users, 0);
  if (count > 0) await client.query(begin, [runId]);
  return count;
}

/** Counts the users that a retry run will have, by country. Call inside a transaction. */
export async function countRetried(client: PoolClient, runId: string): Promise<UsersByCountry> {
  await client.query(`set local statement_timeout = ${timeoutMs}`);
  const { rows: runs } = await client.query<RetryRow>('select retry from runs where id = $1', [runId]);
  const retry = runs[0]?.retry;
  if (!retry) return {};
  const statement = { ...countUsers.with({ runId, ...retry }), query_timeout: timeoutMs };
  const { rows } = await client.query<{ country: string; users: number }>(statement);
  return Object.fromEntries(rows.map(({ country, users }) => [country, users]));
}

/** Failures to retry: of one run, or, if `of` is null, of the whole family of runs. Lists are filters. */
interface RetryRow {
  retry: { of: string | null; steps: number[] | null; countries: string[] | null; reasons: string[] | null };
}

const lockPreparing = `
  select retry from runs
  where id = $1 and state = 'preparing' and retry is not null
    and is_start_allowed(campaign, revision, $2, $3) for update`;

const selectPlaces = `
  select distinct f.country, f.variant, t.step
  from runs n
  join runs m on m.id = n.parent or m.parent = n.parent
  join feeds f on f.run = m.id
  join failure_totals t using (feed)
  where n.id = $1 order by 1, 2, 3`;

/** Columns in parallel: a feed for each country, variant and step. A user keeps the variant of the parent run. */
interface NewFeeds {
  runId: string;
  feeds: readonly string[];
  ofCountries: readonly string[];
  ofVariants: readonly (number | null)[];
  ofSteps: readonly number[];
}

const placesOf = ($: (param: keyof NewFeeds) => string) =>
  `unnest(${$('feeds')}::uuid[], ${$('ofCountries')}::text[], ${$('ofVariants')}::int2[], ${$('ofSteps')}::int2[])
    k (feed, country, variant, step)`;

interface RetryParams extends Record<keyof RetryRow['retry'], unknown> {
  runId: string;
}

/** Failures that existed when the run was created. */
const standing = ($: (param: keyof RetryParams) => string) => {
  const filter = { of: $('of'), steps: $('steps'), countries: $('countries'), reasons: $('reasons') };
  return standingFailures({ ...filter, until: `(select created_at from runs where id = ${$('runId')})` });
};

const family = ($: (param: keyof RetryParams) => string) => `
  with family as (
    select m.id, m.created_at from runs n join runs m on m.id = n.parent or m.parent = n.parent and m.id <> n.id
    where n.id = ${$('runId')}
  )`;

const countUsers = unnamedStatementOf<RetryParams>(
  ($) => `${family($)}
  select s.country, count(distinct s.user_id)::float8 as users from (${standing($)}) s group by s.country`,
);

const insertUsers = unnamedStatementOf<NewFeeds & RetryRow['retry']>(
  ($) => `${family($)}
  insert into explicit_users (feed, user_id)
  select k.feed, s.user_id
  from ${placesOf($)}
  join (${standing($)}) s on s.country = k.country and s.step = k.step and s.variant is not distinct from k.variant
  order by k.feed, s.user_id
  on conflict do nothing`,
);

/**
 * Inserts the feeds. The limit of a country applies to each of its feeds. The country's users failed in different steps
 * of the parent run, and were together within the limit there.
 */
const insertFeeds = unnamedStatementOf<NewFeeds & Pick<ClearedRun, 'usersAtMost'>>(
  ($) => `
  insert into feeds (feed, run, country, variant, segment, snapshot, estimate, from_step, max_users, batch_users,
    step_units)
  select k.feed, ${$('runId')}, k.country, k.variant, '', '', t.users, k.step,
    (${$('usersAtMost')}::jsonb ->> k.country)::bigint,
    -- As its parent's: every endpoint of the chain takes so many.
    (select min(batch_users) from feeds where run = (select parent from runs where id = ${$('runId')})),
    (select step_units(campaign, revision, k.country, prices) from runs where id = ${$('runId')})
  from ${placesOf($)} cross join lateral (select count(*) as users from explicit_users where feed = k.feed) t
  where t.users > 0
  returning estimate::float8 as users`,
);

/** Fixes the prices of the run, because a monetary budget counts by the run's prices. */
const notePrices = `update runs set prices = current_prices(campaign, revision) where id = $1 and prices is null`;

const begin = `
  with r as (
    update runs set state = 'running', state_since = now(), started_at = now(), waiting_cause = null,
      waiting_since = null where id = $1
    returning id
  )
  insert into run_events (run, kind, detail)
  select id, 'begun', jsonb_build_object('feeds', (select count(*) from feeds where run = $1)) from r`;
