import type { ApprovalRecord } from '../approvals.port.ts';

/** Approval as Postgres returns it in JSON, with times as strings. */
export interface ApprovalJson extends Omit<ApprovalRecord, 'stateSince' | 'submittedAt' | 'given'> {
  stateSince: string;
  submittedAt: string;
  given: { by: string; comment: string | null; at: string }[];
}

/**
 * SQL of the state of an approval. An approval that waits for a run is void once the run has ended.
 * @param a alias of the row of `approvals`
 */
export const stateOf = (a: string) => `
  case when ${a}.state = 'waiting' and exists (select from runs where id = ${a}.run and ended_at is not null)
    then 'void' else ${a}.state end`;

/**
 * SQL of an approval as JSON.
 * @param a alias of the row of `approvals`
 */
export const approvalJson = (a: string) => `
  jsonb_build_object('approvalId', ${a}.id, 'campaignId', ${a}.campaign, 'revision', ${a}.revision, 'runId', ${a}.run,
    'raisesBudgets', ${a}.raises_budgets, 'hash', ${a}.hash, 'covers', ${a}.covers, 'expected', ${a}.expected,
    'state', ${stateOf(a)}, 'stateReason', ${a}.state_reason,
    'stateSince', ${a}.state_since, 'requiredApprovers', ${a}.required_approvers, 'reasons', ${a}.reasons,
    'submittedAt', ${a}.submitted_at,
    'submittedBy', (select coalesce(k.owner, k.name) from api_keys k where k.id = ${a}.submitted_by),
    'given', coalesce((
      select jsonb_agg(jsonb_build_object('by', v.owner, 'comment', v.comment, 'at', v.at) order by v.at)
      from approval_votes v where v.approval = ${a}.id), '[]'))`;

/** SQL of the newest approval of a campaign itself, as JSON. */
export const newestOfCampaign = (campaignId: string) => `
  select ${approvalJson('a')} from approvals a
  where a.campaign = ${campaignId} and a.run is null and not a.raises_budgets
  order by a.id desc limit 1`;

export function recordOfApproval({ stateSince, submittedAt, given, ...rest }: ApprovalJson): ApprovalRecord {
  return {
    ...rest,
    stateSince: new Date(stateSince),
    submittedAt: new Date(submittedAt),
    given: given.map(({ at, ...vote }) => ({ ...vote, at: new Date(at) })),
  };
}
