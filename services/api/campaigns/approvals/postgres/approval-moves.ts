import type { PoolClient } from 'pg';
import { setFeedLimits } from '../../../../../shared/postgres/approvals/feed-limits.ts';
import {
  costAtMostOf,
  coversOf,
  hashOfCovers,
  type ApprovalCovers,
} from '../../../../../shared/contracts/campaigns/approvals.ts';
import { approvalNeed, type ApprovalNeed } from '../../../../../shared/domain/approval/approval-policy.ts';
import {
  approvalMoveOf,
  type ApprovalState,
  type ApprovalVerb,
} from '../../../../../shared/domain/approval/approval-states.ts';
import {
  hasApproved,
  hasUnknownAuthor,
  refusedApproval,
  type KeyHolder,
} from '../../../../../shared/domain/approval/approvers.ts';
import { personOf } from '../../../../../shared/domain/approval/person-of.ts';
import { waitsForApproval } from '../../../../../shared/domain/approval/waiting-runs.ts';
import { clearanceNeed } from '../../../../../shared/domain/approval/clearance.ts';
import { costTermsOf, reachOf } from '../../../../../shared/domain/approval/user-bounds.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { onlyRow } from '../../../../../shared/postgres/connection/rows.ts';
import {
  insertApproval,
  personsOf,
  readPolicy,
  readPrices,
} from '../../../../../shared/postgres/approvals/approvals.ts';
import { readStartTerms } from '../../../../../shared/postgres/approvals/judge-start.ts';
import { dropStart } from '../../../../../shared/postgres/approvals/unapproved-starts.ts';
import { judgeFrom } from '../../../../../shared/postgres/ledger/judge-from.ts';
import { approvalNeedOfRaise } from '../raised-budgets.ts';
import type { ApprovalRequest, Decision, Submission } from '../approval-desk.port.ts';
import { authorsOf, columnsOf, readHolder, votersOf } from './approval-reads.ts';
import { readApprovedBudgets } from './approved-budgets.ts';
import { approvalJson, recordOfApproval, stateOf, type ApprovalJson } from './approval-rows.ts';
import { voidApproval } from './void-approvals.ts';

/** Reason why a campaign without a known author is refused at its submission: it could never be approved. */
const unknownAuthor =
  'it was written, or is submitted, with a key that has no owner, so its author is unknown. Give that key an owner under "Keys and people", then submit again';

/** Row of an approval that is locked by the transaction. All functions of this file run inside a transaction. */
interface LockedApproval {
  approvalId: string;
  runId: string | null;
  hash: string;
  covers: ApprovalCovers;
  revision: number;
  raisesBudgets: boolean;
  state: ApprovalState;
  requiredApprovers: number;
  authors: KeyHolder[];
}

export async function submit(
  client: PoolClient,
  { campaign, usersAtMost, expected, raise, by }: Submission,
): Promise<Decision> {
  const { campaignId, revision, definition } = campaign;
  const { rowCount } = await client.query(lockCampaign, [campaignId, revision]);
  if (rowCount === 0) return { kind: 'changed' };
  const prices = await readPrices(client, { campaignId, revision });
  const terms = costTermsOf(definition, prices);
  const costs = { chain: definition.chain, prices };
  const covers = coversOf(definition, usersAtMost, costAtMostOf(usersAtMost, terms));
  const raises = raise !== undefined;
  const newest = await lockNewest(client, campaignId, raises ? 'raise' : 'campaign');
  const isInForce = newest !== undefined && approvalMoveOf('submit', newest.state) === 'stays';
  if (isInForce && newest.hash === hashOfCovers(covers, null)) return decisionOf(client, newest.approvalId);

  const start = { by: by.key, actions: definition.chain.map(({ action }) => action) };
  const {
    rules,
    approvals: given,
    sums: unapprovedStarts,
  } = await readStartTerms(client, campaign, start, raise && { campaignId });
  const approved = raise ? await readApprovedBudgets(client, campaignId) : null;
  // The check covers the whole raise, including the part up to the budgets that were approved before.
  const beyond = approved && { ...approved, budgets: [] };
  // A raise starts no users, so the sums of users started without an approval do not apply.
  const startNeed = clearanceNeed(rules, usersAtMost, terms, given, raise ? [] : unapprovedStarts);
  const need = raise
    ? largerOf(startNeed, approvalNeedOfRaise(rules, { ...raise, approved: beyond, ...costs, unapprovedStarts }))
    : startNeed;
  if (need.approvers === 0) return { kind: 'none-needed' };
  const { rows } = await client.query<Pick<LockedApproval, 'authors'>>(selectAuthors, [campaignId, revision, by.key]);
  if (hasUnknownAuthor(rows[0]?.authors ?? [])) return { kind: 'refused', why: unknownAuthor };
  if (isInForce) await client.query(voidApproval, [newest.approvalId, 'it was submitted anew']);
  const wanted = { campaignId, revision, runId: null, raisesBudgets: raises, covers, expected, submittedBy: by.key };
  return decisionOf(client, await insertApproval(client, { ...wanted, ...need }));
}

export async function approve(
  client: PoolClient,
  { campaignId, hash, comment, by }: ApprovalRequest,
): Promise<Decision> {
  const locked = await lockByHash(client, campaignId, hash);
  if (!locked || approvalMoveOf('approve', locked.state) === 'forbidden')
    return refuseApproval(client, campaignId, locked);
  const { approvalId, authors, covers, revision, raisesBudgets, runId, state } = locked;
  const policy = await readPolicy(client);
  const voter = await readHolder(client, by.key);
  const voters = onlyRow((await client.query<{ voters: KeyHolder[] }>(selectVoters, [approvalId])).rows).voters;
  const approversSignIn = policy?.approversSignIn ?? false;
  const why = refusedApproval(voter, { authors, voters, approversSignIn });
  if (why !== null) return { kind: 'refused', why };

  const owner = voter.owner ?? '';
  const vote = { approvalId, key: by.key, comment, owner };
  if (!hasApproved(voter, { voters, approversSignIn }))
    await client.query(insertVote.with({ ...vote, person: personOf(owner), isSignedIn: voter.isSignedIn }));
  const terms = costTermsOf(covers, await readPrices(client, { campaignId, revision }));
  const need = approvalNeed(policy?.rules ?? [], reachOf(covers.usersAtMost, terms));
  // A submission that exceeds an earlier approval may need more approvers than the rules require. `submit` has stored
  // their number.
  const approvers = Math.max(need.approvers, locked.requiredApprovers);
  const { rows } = await client.query<{ state: ApprovalState }>(countVotes, [approvalId, approvers]);
  const isLast = state === 'waiting' && rows[0]?.state === 'approved';
  if (isLast && runId !== null) await resumeApprovedRun(client, runId, covers, owner);
  if (isLast && raisesBudgets) await raiseBudgets(client, { approvalId, campaignId, covers }, owner);
  return decisionOf(client, approvalId, isLast);
}

export async function sendBack(
  client: PoolClient,
  campaignId: string,
  hash: string | null,
  comment: string,
): Promise<Decision> {
  const locked = hash === null ? await lockNewest(client, campaignId) : await lockByHash(client, campaignId, hash);
  if (!locked && hash !== null) return refuseApproval(client, campaignId, undefined);
  return move(client, locked, 'send-back', 'sent-back', comment);
}

export async function withdraw(client: PoolClient, campaignId: string): Promise<Decision> {
  return move(client, await lockNewest(client, campaignId), 'withdraw', 'withdrawn', null);
}

async function move(
  client: PoolClient,
  locked: LockedApproval | undefined,
  verb: ApprovalVerb,
  to: ApprovalState,
  reason: string | null,
): Promise<Decision> {
  const verdict = approvalMoveOf(verb, locked?.state ?? null);
  if (!locked || verdict === 'forbidden') return { kind: 'forbidden', verb, state: locked?.state ?? null };
  if (verdict === 'moves') await client.query(moveOne, [locked.approvalId, to, reason]);
  return decisionOf(client, locked.approvalId);
}

/**
 * Resumes the run that waits for the approval, with the approved numbers of users. A run that a person has also paused
 * stays paused.
 */
async function resumeApprovedRun(
  client: PoolClient,
  runId: string,
  covers: ApprovalCovers,
  approver: string,
): Promise<void> {
  await client.query(setFeedLimits.with({ runId, usersAtMost: covers.usersAtMost, feedId: null, more: 0 }));
  const { rowCount } = await client.query(resumeRun, [runId, JSON.stringify({ by: { keyName: approver } })]);
  if (rowCount === 1) await client.query(judgeFrom, [runId]);
  await dropStart(client, runId);
}

/** Replaces the earlier approval by the one of the raise. Unfinished runs use the larger budgets at once. */
async function raiseBudgets(
  client: PoolClient,
  { approvalId, campaignId, covers }: Pick<LockedApproval, 'approvalId' | 'covers'> & { campaignId: string },
  approver: string,
): Promise<void> {
  await client.query(voidBeforeRaise, [campaignId]);
  await client.query(takePlace, [approvalId]);
  const by = JSON.stringify({ keyName: approver });
  await client.query(raiseAll, [campaignId, JSON.stringify({ budgets: covers.budgets ?? [] }), by]);
}

function largerOf(one: ApprovalNeed, other: ApprovalNeed): ApprovalNeed {
  return other.approvers > one.approvers ? other : one;
}

async function decisionOf(client: PoolClient, approvalId: string, isLast = false): Promise<Decision> {
  const { rows } = await client.query<{ approval: ApprovalJson }>(selectOne, [approvalId]);
  const [row] = rows;
  if (!row) throw new Error(`the approval ${approvalId} is gone right after it was written`);
  return { kind: 'done', approval: recordOfApproval(row.approval), isLast };
}

/**
 * Returns the reason why the approval cannot be given: another approval is in force, or this one has ended.
 * @param locked approval with the hash of the request
 */
async function refuseApproval(
  client: PoolClient,
  campaignId: string,
  locked: LockedApproval | undefined,
): Promise<Decision> {
  const isSeparate = locked !== undefined && (locked.runId !== null || locked.raisesBudgets);
  const newest = isSeparate ? locked : await lockNewest(client, campaignId);
  const isInForce = newest !== undefined && ['waiting', 'approved'].includes(newest.state);
  if (isInForce && newest.hash !== locked?.hash) return { kind: 'other-hash', hash: newest.hash };
  return { kind: 'forbidden', verb: 'approve', state: (locked ?? newest)?.state ?? null };
}

/**
 * Locks the newest approval.
 * @param subject the campaign itself or a raise of its budgets; null for the newest of either
 */
async function lockNewest(
  client: PoolClient,
  campaignId: string,
  subject: 'campaign' | 'raise' | null = null,
): Promise<LockedApproval | undefined> {
  return (await client.query<LockedApproval>(selectNewest, [campaignId, subject])).rows[0];
}

async function lockByHash(client: PoolClient, campaignId: string, hash: string): Promise<LockedApproval | undefined> {
  return (await client.query<LockedApproval>(selectByHash, [campaignId, hash])).rows[0];
}

const heldColumns = `
  a.id as "approvalId", a.run as "runId", a.hash, a.covers, a.revision, a.raises_budgets as "raisesBudgets", ${stateOf('a')} as state, a.required_approvers as "requiredApprovers",
  (${authorsOf(columnsOf('a'))}) as authors`;

const lockCampaign = `select from campaigns where id = $1 and revision = $2 for no key update`;

const selectNewest = `
  select ${heldColumns} from approvals a
  where a.campaign = $1 and a.run is null
    and case $2::text when 'campaign' then not a.raises_budgets when 'raise' then a.raises_budgets
      else not a.raises_budgets or a.state = 'waiting' end
  order by a.id desc limit 1
  for update of a`;

const voidBeforeRaise = `
  update approvals set state = 'void', state_reason = 'its budgets were raised', state_since = now()
  where campaign = $1 and run is null and not raises_budgets and state in ('waiting', 'approved')`;

const takePlace = `update approvals set raises_budgets = false where id = $1`;

/**
 * Raises budgets. A budget that was raised higher meanwhile is not lowered. The event contains the budgets before this
 * statement.
 */
const raiseAll = `
  with changed as (
    update budgets b set units = k.units from budgets_in($2::jsonb) k
    where b.campaign = $1 and b.country = k.country and b.currency is not distinct from k.currency
      and b.units < k.units
    returning b.country
  )
  insert into run_events (run, kind, detail)
  select id, 'changed', jsonb_build_object('by', $3::jsonb, 'from', budgets_of($1), 'to', $2::jsonb) from runs
  where campaign = $1 and ended_at is null and exists (select from changed)`;

/** Text that sorts after all ids of approvals. */
const latest = `'${'f'.repeat(32)}'`;

/** Returns the authors of the current submission, including those whose work was approved before. */
const selectAuthors = `
  select (${authorsOf({ campaign: '$1::uuid', revision: '$2::int', submittedBy: '$3::uuid', id: latest })}) as authors`;

/** Selects the newest of all approvals with the same content. */
const selectByHash = `
  select ${heldColumns} from approvals a where a.campaign = $1 and a.hash = $2 order by a.id desc limit 1
  for update of a`;

interface VoteParams {
  approvalId: string;
  key: string;
  comment: string | null;
  owner: string;
  person: string;
  isSignedIn: boolean;
}

const insertVote = statementOf<VoteParams>(
  'insert-vote',
  ($) => `
  insert into approval_votes (approval, api_key, comment, owner, person, is_signed_in)
  values (${$('approvalId')}, ${$('key')}, ${$('comment')}, ${$('owner')}, ${$('person')}, ${$('isSignedIn')})
  on conflict do nothing`,
);

const selectVoters = `select (${votersOf('$1::uuid')}) as voters`;

/**
 * Counts votes. After the approval is given, `required_approvers` keeps its value, because later raises need at least
 * as many approvers.
 */
const countVotes = `
  update approvals a set required_approvers = case when a.state = 'waiting' then $2 else a.required_approvers end,
    state = case when (${personsOf('a')}) >= $2 then 'approved' else a.state end,
    state_since = case when a.state = 'waiting' and (${personsOf('a')}) >= $2 then now() else a.state_since end,
    approved_at = case when (${personsOf('a')}) >= $2 then coalesce(a.approved_at, now()) else a.approved_at end
  where a.id = $1 returning a.state`;

const moveOne = `update approvals set state = $2, state_reason = $3, state_since = now() where id = $1`;

/**
 * Resumes only runs whose single reason for being paused is this approval
 * (services/trigger/prepare/postgres/run-approvals.ts).
 */
const resumeRun = `
  with r as (
    update runs set state = case when started_at is null then 'preparing' else 'running' end, state_since = now(),
      state_reason = null
    where id = $1 and state in ('pausing', 'paused') and state_reason like '${waitsForApproval}%' returning id
  )
  insert into run_events (run, kind, detail) select id, 'resumed', $2::jsonb from r`;

const selectOne = `select ${approvalJson('a')} as approval from approvals a where a.id = $1`;
