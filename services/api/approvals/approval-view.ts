import type { ApprovalSummary } from '../../../shared/contracts/campaigns/approval-summary.ts';
import { approvalCovers, unitsAtMostOf, type ApprovalShape } from '../../../shared/contracts/campaigns/approvals.ts';
import { refusedApproval } from '../../../shared/domain/approval/approvers.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { mayActAs } from '../../../shared/domain/roles.ts';
import { holdsAll } from '../../../shared/domain/scopes.ts';
import type { callerOf } from '../access/scopes.ts';
import { inFieldOrder } from '../campaigns/revision-parts.ts';
import { startOf } from '../campaigns/campaign-start.ts';
import type { ListedApproval } from './approval-desk.port.ts';
import type { ApprovalRecord } from './approvals.port.ts';

const fields = Object.keys(approvalCovers.shape);

type Asker = ReturnType<typeof callerOf>;

export function approvalSummaryView(record: ApprovalRecord): ApprovalSummary {
  const { state, stateReason, stateSince, revision, runId, hash, covers, needed, why, given, submittedBy } = record;
  return {
    id: publicId('approval', record.approvalId),
    ...{ state, stateReason, stateSince: stateSince.toISOString(), revision, hash },
    runId: runId === null ? null : publicId('run', runId),
    raises: record.raises,
    usersAtMost: { ...covers.usersAtMost },
    usersExpected: record.expected,
    unitsAtMost: unitsAtMostOf(covers),
    costAtMost: covers.cost ?? null,
    needed,
    why: [...why],
    given: given.map(({ at, ...vote }) => ({ ...vote, at: at.toISOString() })),
    submittedBy,
    submittedAt: record.submittedAt.toISOString(),
  };
}

/** As the key that asks sees it. */
export function approvalView(listed: ListedApproval, asker: Asker): ApprovalShape {
  const { approval, campaignName, before } = listed;
  const summary = approvalSummaryView(approval);
  const campaignId = publicId('campaign', approval.campaignId);
  return {
    ...summary,
    campaignId,
    campaignName,
    covers: approval.covers,
    diff: before && {
      from: before.revision,
      to: approval.revision,
      differences: inFieldOrder(fields, before.covers, approval.covers),
    },
    startsAt: startOf(approval.covers)?.toISOString() ?? null,
    refusedToYou: refusedTo(asker, listed),
    links: {
      campaign: `/v1/campaigns/${campaignId}`,
      run: summary.runId === null ? null : `/v1/runs/${summary.runId}`,
    },
  };
}

function refusedTo({ key, role, scope, owner }: Asker, { approval, authors }: ListedApproval): string | null {
  const { countries, chain } = approval.covers;
  if (!mayActAs(role, 'approver')) return `this key is of the role ${role}, and approving needs approver`;
  const actions = chain.map(({ action }) => action);
  if (!holdsAll(scope.countries, countries) || !holdsAll(scope.actionTypes, actions))
    return 'this key is not for all of its countries and actions';
  return refusedApproval({ key, owner }, authors);
}
