import type { Pool, PoolClient } from 'pg';
import type { KeyHolder } from '../../../../../shared/domain/approval/approvers.ts';
import { onlyRow } from '../../../../../shared/postgres/connection/rows.ts';
import { unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { pageOf, requireIdCursor } from '../../../frame/postgres/pages.ts';
import { isSeenRevision, seenParamsOf, type SeenParams } from '../../../frame/postgres/seen-campaigns.ts';
import type { Page } from '../../../frame/page.port.ts';
import type { ApprovalSearch, ListedApproval } from '../approval-desk.port.ts';
import { approvalJson, recordOfApproval, stateOf, type ApprovalJson } from './approval-rows.ts';

export async function listApprovals(
  pool: Pool,
  { state, campaignId, runId, within }: ApprovalSearch,
  limit: number,
  cursor: string | null,
): Promise<Page<ListedApproval>> {
  requireIdCursor(cursor);
  const search = { state: state ?? null, campaignId: campaignId ?? null, runId: runId ?? null };
  const params = { ...search, approvalId: null, cursor, limit: limit + 1, ...seenParamsOf(within) };
  const { rows } = await pool.query<ListedRow>(selectApprovals.with(params));
  return pageOf(rows.map(listedOf), limit, ({ approval }) => approval.approvalId);
}

export async function getApproval(pool: Pool, approvalId: string): Promise<ListedApproval | undefined> {
  const params = { state: null, campaignId: null, runId: null, approvalId, cursor: null, limit: 1, ...seenParamsOf() };
  const { rows } = await pool.query<ListedRow>(selectApprovals.with(params));
  return rows[0] && listedOf(rows[0]);
}

export async function readHolder(connection: Pool | PoolClient, key: string): Promise<KeyHolder> {
  const { rows } = await connection.query<{ holder: KeyHolder }>('select key_holder($1) as holder', [key]);
  return onlyRow(rows).holder;
}

interface ListedRow {
  approval: ApprovalJson;
  campaignName: string;
  before: ListedApproval['before'];
  authors: KeyHolder[];
  voters: KeyHolder[];
}

function listedOf({ approval, ...rest }: ListedRow): ListedApproval {
  return { approval: recordOfApproval(approval), ...rest };
}

interface ApprovalExpressions {
  id: string;
  campaign: string;
  revision: string;
  submittedBy: string;
}

export const columnsOf = (a: string): ApprovalExpressions => ({
  id: `${a}.id`,
  campaign: `${a}.campaign`,
  revision: `${a}.revision`,
  submittedBy: `${a}.submitted_by`,
});

const approvedBefore = ({ campaign, id }: ApprovalExpressions) => `
  from approvals b where b.campaign = ${campaign} and b.id < ${id} and b.approved_at is not null`;

/** SQL of the keys that wrote a revision since the last approved revision, or that submitted the approval. */
export const authorsOf = (row: ApprovalExpressions) => `
  select coalesce(jsonb_agg(key_holder(w.key)), '[]')
  from (
    select r.written_by as key from revisions r
    where r.campaign = ${row.campaign} and r.revision <= ${row.revision}
      and r.revision > coalesce((select max(b.revision) ${approvedBefore(row)} and b.revision < ${row.revision}), 0)
    union select ${row.submittedBy} where ${row.submittedBy} is not null
  ) w`;

/**
 * SQL of the keys that voted for an approval, each with the keys and persons that created or changed it.
 * @param approval SQL of the approval's id
 */
export const votersOf = (approval: string) =>
  `select coalesce(jsonb_agg(key_holder(v.api_key)), '[]') from approval_votes v where v.approval = ${approval}`;

type Params = Record<'state' | 'campaignId' | 'runId' | 'approvalId' | 'cursor', string | null> &
  SeenParams & { limit: number };

const selectApprovals = unnamedStatementOf<Params>(
  ($) => `
  select ${approvalJson('a')} as approval, c.name as "campaignName",
    (select jsonb_build_object('revision', b.revision, 'covers', b.covers) ${approvedBefore(columnsOf('a'))}
      order by b.id desc limit 1) as before,
    (${authorsOf(columnsOf('a'))}) as authors, (${votersOf('a.id')}) as voters
  from approvals a join campaigns c on c.id = a.campaign
    join revisions v on v.campaign = a.campaign and v.revision = a.revision
  where (${$('approvalId')}::uuid is null or a.id = ${$('approvalId')})
    and (${$('campaignId')}::uuid is null or a.campaign = ${$('campaignId')})
    and (${$('runId')}::uuid is null or a.run = ${$('runId')})
    and (${$('state')}::text is null or ${stateOf('a')} = ${$('state')})
    and (${$('cursor')}::uuid is null or a.id < ${$('cursor')}) and ${isSeenRevision($, 'v')}
  order by a.id desc limit ${$('limit')}`,
);
