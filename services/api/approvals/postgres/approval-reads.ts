import type { Pool } from 'pg';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';
import type { Page } from '../../frame/page.port.ts';
import type { ApprovalSearch, Author, ListedApproval } from '../approval-desk.port.ts';
import { approvalJson, recordOfApproval, stateOf, type ApprovalJson } from './approval-rows.ts';

/** Newest first. */
export async function listApprovals(
  pool: Pool,
  { state = null, campaignId = null, runId = null }: { [Name in keyof ApprovalSearch]: ApprovalSearch[Name] | null },
  limit: number,
  cursor: string | null,
): Promise<Page<ListedApproval>> {
  requireIdCursor(cursor);
  const params = { state, campaignId, runId, approvalId: null, cursor, limit: limit + 1 };
  const { rows } = await pool.query<ListedRow>(selectApprovals.with(params));
  return pageOf(rows.map(listedOf), limit, ({ approval }) => approval.approvalId);
}

export async function getApproval(pool: Pool, approvalId: string): Promise<ListedApproval | undefined> {
  const params = { state: null, campaignId: null, runId: null, approvalId, cursor: null, limit: 1 };
  const { rows } = await pool.query<ListedRow>(selectApprovals.with(params));
  return rows[0] && listedOf(rows[0]);
}

interface ListedRow {
  approval: ApprovalJson;
  campaignName: string;
  before: ListedApproval['before'];
  authors: Author[];
}

function listedOf({ approval, ...rest }: ListedRow): ListedApproval {
  return { approval: recordOfApproval(approval), ...rest };
}

/** An approval, by the expressions of its columns. */
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

/** Who wrote what of it was not approved before, and who submitted it. */
export const authorsOf = (of: ApprovalExpressions) => `
  select coalesce(jsonb_agg(distinct jsonb_build_object('key', w.key, 'owner', k.owner)), '[]')
  from (
    select r.written_by as key from campaign_revisions r
    where r.campaign = ${of.campaign} and r.revision <= ${of.revision}
      and r.revision > coalesce((select max(b.revision) ${approvedBefore(of)} and b.revision < ${of.revision}), 0)
    union select ${of.submittedBy} where ${of.submittedBy} is not null
  ) w left join api_keys k on k.id = w.key`;

type Params = Record<'state' | 'campaignId' | 'runId' | 'approvalId' | 'cursor', string | null> & { limit: number };

const selectApprovals = unnamedStatementOf<Params>(
  ($) => `
  select ${approvalJson('a')} as approval, c.name as "campaignName",
    (select jsonb_build_object('revision', b.revision, 'covers', b.covers) ${approvedBefore(columnsOf('a'))}
      order by b.id desc limit 1) as before,
    (${authorsOf(columnsOf('a'))}) as authors
  from approvals a join campaigns c on c.id = a.campaign
  where (${$('approvalId')}::uuid is null or a.id = ${$('approvalId')})
    and (${$('campaignId')}::uuid is null or a.campaign = ${$('campaignId')})
    and (${$('runId')}::uuid is null or a.run = ${$('runId')})
    and (${$('state')}::text is null or ${stateOf('a')} = ${$('state')})
    and (${$('cursor')}::uuid is null or a.id < ${$('cursor')})
  order by a.id desc limit ${$('limit')}`,
);
