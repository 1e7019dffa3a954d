import type { Pool, PoolClient } from 'pg';
import { standingFailures } from '../../../../../shared/postgres/ledger/standing-failures.ts';
import { unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import type { Quotas } from '../../../../../shared/domain/quotas.ts';
import { withinQuota } from '../../../../../shared/postgres/registry/account-quotas.ts';
import { inTransaction } from '../../../../../shared/postgres/connection/transaction.ts';
import type { NewRetry, Retries, RetryFilter, RetryGroup, RetrySums, RetryVerdict } from '../../retries.port.ts';

/**
 * Timeout of statements that count failures, in milliseconds. Counting millions of failures takes longer than the usual
 * timeout.
 */
const countTimeoutMs = 120_000;

export function createRetries({ pool, quotas }: { pool: Pool; quotas: Quotas }): Retries {
  return {
    groups: async (parentRunId, filter) => {
      const { rows: runs } = await pool.query<{ parent: string | null; children: boolean }>(selectFamily, [
        parentRunId,
      ]);
      const [run] = runs;
      if (!run) return [];
      if (run.parent === null && !run.children)
        return (await pool.query<RetryGroup>(sumGroups, [parentRunId, ...listsOf(filter)])).rows;
      return countGroups(pool, parentRunId, run.parent, filter);
    },
    create: async (retry) => {
      const { rows } = await pool.query<{ account: string | null }>(selectAccount, [retry.parentRunId]);
      const question = { account: rows[0]?.account ?? null, quotas, of: ['openRuns'] as const };
      return await withinQuota(pool, question, (client) => createRetry(client, retry));
    },
    sums: async (parentRunId) => (await pool.query<RetrySums>(selectSums, [parentRunId])).rows,
  };
}

function countGroups(pool: Pool, runId: string, parent: string | null, filter: RetryFilter): Promise<RetryGroup[]> {
  return inTransaction(pool, async (client) => {
    await client.query(`set local statement_timeout = ${countTimeoutMs}`);
    const standing = countStanding.with({ ...filter, root: parent ?? runId, of: parent === null ? null : runId });
    const query = { ...standing, query_timeout: countTimeoutMs };
    return (await client.query<RetryGroup>(query)).rows;
  });
}

async function createRetry(
  client: PoolClient,
  { runId, parentRunId, filter, deadlineSeconds, asker = null }: NewRetry,
): Promise<RetryVerdict> {
  const { rows } = await client.query<{ root: string; ended: boolean }>(lockRoot, [parentRunId]);
  const [run] = rows;
  if (!run?.ended) return { kind: 'not-ended' };
  const { rows: unfinished } = await client.query<{ id: string }>(selectUnfinished, [run.root, runId]);
  const [other] = unfinished;
  if (other) return { kind: 'running', runId: other.id };
  const retry = { of: parentRunId === run.root ? null : parentRunId, ...filter };
  await client.query(insertRetry.with({ runId, root: run.root, retry, deadlineSeconds, asker }));
  return { kind: 'created' };
}

function listsOf({ steps, countries, reasons }: RetryFilter): unknown[] {
  return [steps, countries, reasons];
}

const selectAccount = `select c.account from runs r join campaigns c on c.id = r.campaign where r.id = $1`;

const selectFamily = `
  select parent, exists (select from runs c where c.parent = r.id) as children from runs r where r.id = $1`;

/**
 * Sums failures from the counts of the report. It is used if no user was retried so far, because all counted failures
 * are then current. Parameters: $1 run, filters $2 steps, $3 countries, $4 reasons.
 */
const sumGroups = `
  select t.step, f.country, t.reason, sum(t.users)::float8 as users
  from feeds f join failure_totals t using (feed)
  where f.run = $1 and t.outcome = 2 and t.reason <> 'muster.invalid-user-id'
    and ($2::int[] is null or t.step = any($2))
    and ($3::text[] is null or f.country = any($3)) and ($4::text[] is null or t.reason = any($4))
  group by t.step, f.country, t.reason
  order by t.step, f.country, users desc, t.reason collate "C"`;

/** Parameters of the newest failures. @property of one run among the parent and its retries, or null for all of them */
type StandingParams = RetryFilter & { root: string; of: string | null };

const countStanding = unnamedStatementOf<StandingParams>(($) => {
  const filter = { of: $('of'), steps: $('steps'), countries: $('countries'), reasons: $('reasons') };
  return `
  with family as (
    select id, created_at from runs where id = ${$('root')} or parent = ${$('root')}
  )
  select step, country, reason, count(*)::float8 as users
  from (${standingFailures({ ...filter, until: 'now()' })}) s
  group by step, country, reason
  order by step, country, users desc, reason collate "C"`;
});

/** Locks the first run, which permits one retry at a time: a second request then finds the retry of the first. */
const lockRoot = `
  select r.id as root, o.ended_at is not null and r.ended_at is not null as ended
  from runs o join runs r on r.id = coalesce(o.parent, o.id)
  where o.id = $1 for update of r`;

const selectUnfinished = `select id from runs where parent = $1 and ended_at is null and id <> $2`;

interface InsertedRetry extends Pick<NewRetry, 'runId' | 'deadlineSeconds'> {
  root: string;
  retry: RetryFilter & { of: string | null };
  asker: NewRetry['asker'];
}

/**
 * Inserts a retry. Its scheduled time is half a millisecond after any possible due time of a job, and after those of
 * other retries. This keeps (campaign, scheduled_for) unique, and no job takes this run for its own.
 */
const insertRetry = unnamedStatementOf<InsertedRetry>(
  ($) => `
  with t as (
    select r.campaign, r.revision, greatest(
        date_trunc('milliseconds', clock_timestamp()) + interval '500 microseconds',
        (select max(scheduled_for) + interval '1 millisecond' from runs where parent = r.id)
      ) as at
    from runs r where r.id = ${$('root')}::uuid
  ), r as (
    insert into runs (id, campaign, revision, scheduled_for, state, deadline_at, parent, retry)
    select ${$('runId')}::uuid, t.campaign, t.revision, t.at, 'preparing',
      now() + coalesce(${$('deadlineSeconds')}::float8, (c.definition ->> 'deadlineSeconds')::float8)
        * interval '1 second',
      ${$('root')}::uuid, ${$('retry')}::jsonb
    from t join revisions c on c.campaign = t.campaign and c.revision = t.revision
    on conflict (id) do nothing
    returning id
  )
  insert into run_events (run, kind, detail)
  select id, 'created', jsonb_strip_nulls(jsonb_build_object('by', ${$('asker')}::jsonb)) from r`,
);

/**
 * Sums the results of retries. Users fed to a retry count as retried, and users who succeeded in its last step count as
 * recovered.
 */
const selectSums = `
  select r.id as "runId", coalesce(sum(f.fed_users), 0)::float8 as retried,
    coalesce(sum(t.recovered), 0)::float8 as recovered, coalesce(sum(t.failed), 0)::float8 as "failedAgain"
  from runs r
  join revisions c on c.campaign = r.campaign and c.revision = r.revision
  left join feeds f on f.run = r.id
  left join lateral (
    select sum(failed) as failed,
      sum(succeeded) filter (where step = jsonb_array_length(c.definition -> 'chain')) as recovered
    from run_totals where feed = f.feed
  ) t on true
  where r.parent = $1
  group by r.id, r.created_at
  order by r.created_at, r.id`;
