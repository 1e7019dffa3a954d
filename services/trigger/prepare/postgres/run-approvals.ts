import type { Pool, PoolClient } from 'pg';
import { costAtMostOf, coversOf } from '../../../../shared/contracts/campaigns/approvals.ts';
import type { CampaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import {
  approvalNeed,
  type ApprovalNeed,
  type ApprovalRule,
} from '../../../../shared/domain/approval/approval-policy.ts';
import { clearanceOf, type Clearance, type GivenApproval } from '../../../../shared/domain/approval/clearance.ts';
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
import { insertApproval, readGivenApprovals, readPolicy } from '../../../../shared/postgres/approvals/approvals.ts';
import { setFeedLimits } from '../../../../shared/postgres/approvals/feed-limits.ts';
import {
  countStart,
  dropStart,
  lockSums,
  readStarter,
  readSums,
  recountStart,
} from '../../../../shared/postgres/approvals/unapproved-starts.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { ClearedRun, RunApprovals } from '../../ports/run-approvals.ts';
import { countRetried } from './begin-retry.ts';

export function createRunApprovals({ pool }: { pool: Pool }): RunApprovals {
  return {
    clear: (runId, users) => inTransaction(pool, (client) => clear(client, runId, users)),

    clearRetry: (runId) =>
      inTransaction(pool, async (client) => clear(client, runId, await countRetried(client, runId))),

    goBeyond: ({ runId, feedId, country, more }) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<FedRow>(lockFeeds, [runId]);
        const fed = sumOf(rows, ({ fedUsers }) => fedUsers);
        const users = { ...fed, [country]: (fed[country] ?? 0) + more };
        const bounds = boundsOf(rows);
        if (rows.length > 1 && (users[country] ?? 0) <= (bounds[country] ?? 0)) {
          await client.query(setFeedLimits.with({ runId, usersAtMost: bounds, feedId, more }));
          return;
        }
        const wanted = { ...bounds, [country]: beyond(Math.max(bounds[country] ?? 0, users[country] ?? 0)) };
        const judged = await judge(client, runId, users, wanted);
        if (!judged) return;
        const { clearance } = judged;
        if (clearance.kind === 'clear') {
          const { usersAtMost } = clearance;
          await client.query(setFeedLimits.with({ runId, usersAtMost, feedId, more }));
        } else await hold(client, judged, clearance, wanted);
      }),
  };
}

async function clear(client: PoolClient, runId: string, users: UsersByCountry): Promise<ClearedRun | null> {
  const judged = await judge(client, runId, users, mapped(users, roomFor));
  if (!judged) return null;
  const { clearance, policy } = judged;
  if (clearance.kind === 'needed') {
    await hold(client, judged, clearance, mapped(users, withHeadroom));
    return null;
  }
  const { usersAtMost, approvalId } = clearance;
  return { clearedBy: { policy, approvalId }, usersAtMost };
}

interface Judged {
  run: RunRow;
  policy: number | null;
  rules: readonly ApprovalRule[];
  approvals: readonly GivenApproval[];
  /** Definition with the budgets on which the decision is based. */
  definition: CampaignDefinition;
  terms: CostTerms;
  clearance: Clearance;
}

/**
 * Decides about a run. A lock makes concurrent decisions run one after the other, so that the second sees the result of
 * the first. If a run needs no approval, its users are added to the sums in the same transaction, because later
 * decisions depend on these sums. Returns undefined if the run has ended.
 * @param room users by country with which a run without an approval is counted, as far as the policy permits so many
 */
async function judge(
  client: PoolClient,
  runId: string,
  users: UsersByCountry,
  room: UsersByCountry,
): Promise<Judged | undefined> {
  const { rows } = await client.query<RunRow>(lockRun, [runId]);
  const [run] = rows;
  if (!run) return undefined;
  const policy = await readPolicy(client);
  const { campaignId, revision, isByHand } = run;
  const all = await readGivenApprovals(client, { campaignId, revision, runId });
  // An approval of the campaign is valid for runs by its schedule. For runs that a person starts, it only limits the
  // number of users.
  const approvals = all.map((one) => ({ ...one, isInForce: one.isInForce && (one.isOfRun || !isByHand) }));
  const rules = policy?.rules ?? [];
  const judged = { run, policy: policy?.revision ?? null, rules, approvals, ...(await readTerms(client, run)) };
  const alone = clearanceOf(rules, users, judged.terms, approvals);
  if (alone.kind === 'clear' && alone.approvalId !== null) await dropStart(client, runId);
  // A run that needs an approval anyway does not wait for the lock of the sums.
  const needsSums = rules.length > 0 && alone.kind === 'clear' && alone.approvalId === null;
  if (!needsSums) return { ...judged, clearance: alone };
  await lockSums(client);
  // Budgets may have been raised while this transaction waited for the lock.
  const atTurn = { ...judged, ...(await readTerms(client, run)) };
  return { ...atTurn, clearance: await clearBySums(client, atTurn, users, room) };
}

async function readTerms(client: PoolClient, run: RunRow): Promise<Pick<Judged, 'definition' | 'terms'>> {
  const { rows } = await client.query<TermsRow>(selectTerms, [run.runId]);
  const [row] = rows;
  if (!row) throw new Error(`the run ${run.runId} is gone`);
  const definition = { ...run.definition, budgets: row.budgets ?? run.definition.budgets };
  return { definition, terms: costTermsOf(definition, row.prices) };
}

/**
 * Decides about a run together with earlier starts that had no approval, and adds the run to their sums. The caller
 * must hold the lock of the sums.
 */
async function clearBySums(
  client: PoolClient,
  { run, rules, approvals, definition, terms }: Omit<Judged, 'clearance'>,
  users: UsersByCountry,
  room: UsersByCountry,
): Promise<Clearance> {
  const { runId, campaignId, revision, parentId } = run;
  // The users of a retry were already counted with the run in which they failed.
  const isPartOfCounted = parentId !== null && (await recountStart(client, parentId));
  if (isPartOfCounted) return clearanceOf(rules, users, terms, approvals);
  const actions = definition.chain.map(({ action }) => action);
  const starter = await readStarter(client, { campaignId, runId, revision, actions, by: null });
  if (!starter) throw new Error(`the campaign of the run ${runId} is gone`);
  const sums = await readSums(client, starter, terms.currency, { runId });
  const clearance = clearanceOf(rules, users, terms, approvals, sums);
  if (clearance.kind === 'needed') return clearance;
  // The sums count the run with `usersAtMost` users, so the run must never have more users, even if its budget alone
  // would keep it within the rules.
  const usersAtMost = lowerLimits(room, clearance.usersAtMost);
  await countStart(client, { runId, campaignId, of: starter, users: usersAtMost, terms });
  return { ...clearance, usersAtMost };
}

/** Returns the smaller limit by country. @param widest null if no number of users needs an approval */
function lowerLimits(room: UsersByCountry, widest: UsersByCountry | null): UsersByCountry {
  if (widest === null) return room;
  return Object.fromEntries(Object.entries(room).map(([at, most]) => [at, Math.min(most, widest[at] ?? most)]));
}

/** Number of users per country with which a run is counted if their number is not known. */
const roomForUnknown = 100;

/**
 * Returns the number of users with which a run is counted. A larger number than necessary would reduce what other runs
 * may use.
 */
function roomFor(users: number): number {
  return users === 0 ? roomForUnknown : withHeadroom(users);
}

/** Pauses the run and requests an approval, unless a waiting request covers it. */
async function hold(
  client: PoolClient,
  { run, rules, approvals, definition, terms }: Judged,
  clearance: ApprovalNeed,
  wanted: UsersByCountry,
): Promise<void> {
  const { runId, campaignId, revision } = run;
  const most = (country: string, users: number) =>
    Math.max(users, ...approvals.map(({ isInForce, usersAtMost }) => (isInForce ? (usersAtMost[country] ?? 0) : 0)));
  const usersAtMost = Object.fromEntries(
    Object.entries(wanted).map(([country, users]) => [country, most(country, users)]),
  );
  // The limits in the request exceed the known number of users, so they may need more approvers.
  const need = approvalNeed(rules, reachOf(usersAtMost, terms));
  const { approvers, why } = need.approvers > clearance.approvers ? need : clearance;
  const { rows: waiting } = await client.query<{ usersAtMost: UsersByCountry }>(selectWaiting, [runId]);
  if (!waiting.some((before) => isWithinBounds(usersAtMost, before.usersAtMost))) {
    await client.query(voidBefore, [runId]);
    const covers = coversOf(definition, usersAtMost, costAtMostOf(usersAtMost, terms));
    await insertApproval(client, {
      campaignId,
      revision,
      runId,
      covers,
      expected: null,
      approvers,
      why,
      submittedBy: null,
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

/** Returns the limits by country. */
function boundsOf(rows: readonly FedRow[]): UsersByCountry {
  const limits = rows.map((feed) => ({ ...feed, usersAtMost: feed.usersAtMost ?? feed.fedUsers }));
  if (limits.some(({ isRetry }) => isRetry))
    return Object.fromEntries(limits.map(({ country, usersAtMost }) => [country, usersAtMost]));
  return sumOf(limits, ({ usersAtMost }) => usersAtMost ?? 0);
}

interface RunRow {
  runId: string;
  campaignId: string;
  revision: number;
  definition: CampaignDefinition;
  parentId: string | null;
  /** True for a run outside its campaign's schedule: a person has started it, or made up for a missed start. */
  isByHand: boolean;
}

interface TermsRow {
  budgets: CampaignDefinition['budgets'] | null;
  /** Prices stored with the run; the current prices if it has not begun. */
  prices: StepPrices;
}

interface FedRow {
  country: string;
  fedUsers: number;
  usersAtMost: number | null;
  /** True if the limit of the country applies to each of its feeds, instead of being divided among them. */
  isRetry: boolean;
}

const lockRun = `
  select r.id as "runId", r.campaign as "campaignId", r.revision, c.definition, r.parent as "parentId",
    exists (
      select from schedules s join occurrences o on o.schedule = s.id
      where s.campaign = r.campaign and o.open and o.due_at = r.scheduled_for and o.kind <> 'planned') as "isByHand"
  from runs r join revisions c on c.campaign = r.campaign and c.revision = r.revision
  where r.id = $1 and r.state in ('preparing', 'running')
  for no key update of r`;

const selectTerms = `
  select budgets_of(campaign) -> 'budgets' as budgets, coalesce(prices, current_prices(campaign, revision)) as prices
  from runs where id = $1`;

/** Locks the feeds, so that no user is fed while their bounds are set. */
const lockFeeds = `
  select f.country, f.fed_users::float8 as "fedUsers", f.max_users::float8 as "usersAtMost",
    r.parent is not null as "isRetry"
  from feeds f join runs r on r.id = f.run where f.run = $1 order by f.feed for update of f`;

const selectWaiting = `
  select covers -> 'usersAtMost' as "usersAtMost" from approvals where run = $1 and state = 'waiting'`;

const voidBefore = `
  update approvals set state = 'void', state_reason = 'its run has come to more users', state_since = now()
  where run = $1 and state in ('waiting', 'approved')`;

/** Pauses a run. A run without feeds has no work in progress and is paused at once. */
const pauseRun = `
  with r as (
    update runs set state = case when started_at is null then 'paused' else 'pausing' end, state_since = now(),
      state_reason = $2, waiting_cause = null, waiting_since = null
    where id = $1 and state in ('preparing', 'running') returning id, state
  ), e as (
    insert into run_events (run, kind, detail) select id, 'auto-paused', jsonb_build_object('cause', $2::text) from r
  )
  insert into run_events (run, kind) select id, 'paused' from r where state = 'paused'`;
