import type { Pool, PoolClient } from 'pg';
import { costAtMostOf, coversOf } from '../../../../shared/contracts/campaigns/approvals.ts';
import type { CampaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { approvalNeed, type ApprovalRule } from '../../../../shared/domain/approval/approval-policy.ts';
import { clearanceOf, type ApprovalInForce, type Clearance } from '../../../../shared/domain/approval/clearance.ts';
import {
  beyond,
  costTermsOf,
  isWithinBounds,
  reachOf,
  withHeadroom,
  type CostTerms,
  type StepPrices,
  type UsersByCountry,
} from '../../../../shared/domain/approval/user-bounds.ts';
import { waitsForApproval } from '../../../../shared/domain/approval/waiting-runs.ts';
import { approvalsInForce, insertApproval, readPolicy } from '../../../../shared/postgres/approvals/approvals.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { ClearedRun, RunApprovals } from '../run-approvals.port.ts';
import { countRetried } from './begin-retry.ts';

export function createRunApprovals({ pool }: { pool: Pool }): RunApprovals {
  return {
    clear: (runId, users) => inTransaction(pool, (client) => clear(client, runId, users)),

    clearRetry: (runId) =>
      inTransaction(pool, async (client) => clear(client, runId, await countRetried(client, runId))),

    goBeyond: ({ runId, country, more }) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<FedRow>(lockFeeds, [runId]);
        const fed = sumOf(rows, ({ fedUsers }) => fedUsers);
        const users = { ...fed, [country]: (fed[country] ?? 0) + more };
        const judged = await judge(client, runId, users);
        if (!judged) return;
        const { clearance } = judged;
        if (clearance.kind === 'clear') {
          await client.query(setBounds, [runId, clearance.usersAtMost]);
          return;
        }
        const bounds = Object.fromEntries(rows.map((feed) => [feed.country, feed.usersAtMost ?? feed.fedUsers]));
        const wanted = { ...bounds, [country]: beyond(Math.max(bounds[country] ?? 0, users[country] ?? 0)) };
        await hold(client, judged, wanted);
      }),
  };
}

async function clear(client: PoolClient, runId: string, users: UsersByCountry): Promise<ClearedRun | null> {
  const judged = await judge(client, runId, users);
  if (!judged) return null;
  const { clearance, policy } = judged;
  if (clearance.kind === 'needed') {
    await hold(client, judged, mapped(users, withHeadroom));
    return null;
  }
  const { usersAtMost, approvalId } = clearance;
  return { clearedBy: { policy, approvalId }, usersAtMost };
}

interface Judged {
  run: RunRow;
  policy: number | null;
  rules: readonly ApprovalRule[];
  approvals: readonly ApprovalInForce[];
  terms: CostTerms;
  clearance: Clearance;
}

/** Its row is locked: of two that judge it, the second sees what the first has made of it. Undefined: it is over. */
async function judge(client: PoolClient, runId: string, users: UsersByCountry): Promise<Judged | undefined> {
  const { rows } = await client.query<RunRow>(lockRun, [runId]);
  const [run] = rows;
  if (!run) return undefined;
  const policy = await readPolicy(client);
  const { campaignId, revision, isByHand } = run;
  const all = await approvalsInForce(client, { campaignId, revision, runId });
  // What was approved is the schedule: runs beside it are approved one by one.
  const approvals = isByHand ? all.filter(({ isOfRun }) => isOfRun) : all;
  const rules = policy?.rules ?? [];
  const terms = costTermsOf(run.definition, run.prices);
  const clearance = clearanceOf(rules, users, terms, approvals);
  return { run, policy: policy?.revision ?? null, rules, approvals, terms, clearance };
}

/** No user is called from here on, and an approval is asked for. One that waits already and covers it is enough. */
async function hold(client: PoolClient, judged: Judged, wanted: UsersByCountry): Promise<void> {
  const { run, rules, approvals, terms } = judged;
  const { runId, campaignId, revision, definition } = run;
  const most = (country: string, users: number) =>
    Math.max(users, ...approvals.map(({ usersAtMost }) => usersAtMost[country] ?? 0));
  const usersAtMost = Object.fromEntries(
    Object.entries(wanted).map(([country, users]) => [country, most(country, users)]),
  );
  // Of all that is asked for: it is more than what is known.
  const { approvers, why } = approvalNeed(rules, reachOf(usersAtMost, terms));
  const { rows: asked } = await client.query<{ usersAtMost: UsersByCountry }>(selectAsked, [runId]);
  if (!asked.some((before) => isWithinBounds(usersAtMost, before.usersAtMost))) {
    await client.query(voidBefore, [runId]);
    const covers = coversOf(definition, usersAtMost, costAtMostOf(usersAtMost, terms));
    await insertApproval(client, {
      ...{ campaignId, revision, runId, covers, expected: null },
      ...{ approvers, why, submittedBy: null },
    });
  }
  const cause = `${waitsForApproval}: ${why.join(', ')}`;
  await client.query(pauseRun, [runId, cause]);
}

function mapped(users: UsersByCountry, change: (users: number) => number): UsersByCountry {
  return Object.fromEntries(Object.entries(users).map(([country, count]) => [country, change(count)]));
}

function sumOf(rows: readonly FedRow[], users: (row: FedRow) => number): UsersByCountry {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.country, (sums.get(row.country) ?? 0) + users(row));
  return Object.fromEntries(sums);
}

interface RunRow {
  runId: string;
  campaignId: string;
  revision: number;
  definition: CampaignDefinition;
  /** That it begins with, or keeps. */
  prices: StepPrices;
  /** Beside its campaign's schedule: a person has fired it, or has made up for it. */
  isByHand: boolean;
}

interface FedRow {
  country: string;
  fedUsers: number;
  usersAtMost: number | null;
}

const lockRun = `
  select r.id as "runId", r.campaign as "campaignId", r.revision,
    c.definition || coalesce(budgets_of(r.campaign), '{}') as definition,
    coalesce(r.prices, prices_now(r.campaign, r.revision)) as prices,
    exists (
      select from schedules s join occurrences o on o.schedule = s.id
      where s.campaign = r.campaign and o.open and o.due_at = r.scheduled_for and o.kind <> 'planned') as "isByHand"
  from runs r join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
  where r.id = $1 and r.state in ('preparing', 'running')
  for no key update of r`;

/** Nothing is fed while its bound is set anew. */
const lockFeeds = `
  select country, fed_users::float8 as "fedUsers", users_at_most::float8 as "usersAtMost" from feeds
  where run = $1 order by feed for update`;

/** $2 by country; null: any number. */
const setBounds = `update feeds set users_at_most = ($2::jsonb ->> country)::bigint where run = $1`;

const selectAsked = `
  select covers -> 'usersAtMost' as "usersAtMost" from approvals where run = $1 and state = 'waiting'`;

const voidBefore = `
  update approvals set state = 'void', state_reason = 'its run has come to more users', state_since = now()
  where run = $1 and state in ('waiting', 'approved')`;

/** A run without feeds has nothing under way. */
const pauseRun = `
  with r as (
    update runs set state = case when started_at is null then 'paused' else 'pausing' end, state_since = now(),
      state_reason = $2, waiting_cause = null, waiting_since = null
    where id = $1 and state in ('preparing', 'running') returning id, state
  ), e as (
    insert into run_events (run, kind, detail) select id, 'auto-paused', jsonb_build_object('cause', $2::text) from r
  )
  insert into run_events (run, kind) select id, 'paused' from r where state = 'paused'`;
