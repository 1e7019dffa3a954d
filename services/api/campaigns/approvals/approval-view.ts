import { splitOf } from '../../../../shared/contracts/campaigns/variants.ts';
import { divideUsers } from '../../../../shared/domain/run/divide-users.ts';
import type { ApprovalSummary } from '../../../../shared/contracts/campaigns/approval-summary.ts';
import {
  approvalCovers,
  unitsAtMostOf,
  type ApprovalCovers,
  type ApprovalShape,
} from '../../../../shared/contracts/campaigns/approvals.ts';
import { refusedApproval, type KeyHolder } from '../../../../shared/domain/approval/approvers.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { approverRefusal } from '../../access/rights.ts';
import type { callerOf } from '../../access/scopes.ts';
import { inFieldOrder } from '../../revisions/in-field-order.ts';
import { plannedStartOf } from '../../schedules/planned-start.ts';
import type { ListedApproval } from './approval-desk.port.ts';
import type { ApprovalRecord } from './approvals.port.ts';

const fields = Object.keys(approvalCovers.shape);

/**
 * Reader of an approval: the caller's key, the keys and persons that created or changed it, and whether the policy
 * counts votes of keys.
 */
export interface ApprovalReader {
  caller: ReturnType<typeof callerOf>;
  holder: KeyHolder;
  approversSignIn: boolean;
}

export function approvalSummaryView(record: ApprovalRecord): ApprovalSummary {
  const {
    state,
    stateReason,
    stateSince,
    revision,
    runId,
    hash,
    covers,
    requiredApprovers,
    reasons,
    given,
    submittedBy,
  } = record;
  return {
    id: publicId('approval', record.approvalId),
    state,
    stateReason,
    stateSince: stateSince.toISOString(),
    revision,
    hash,
    runId: runId === null ? null : publicId('run', runId),
    raisesBudgets: record.raisesBudgets,
    usersAtMost: { ...covers.usersAtMost },
    usersExpected: record.expected,
    unitsAtMost: unitsAtMostOf(covers),
    costAtMost: covers.cost ?? null,
    requiredApprovers,
    reasons: [...reasons],
    given: given.map(({ at, ...vote }) => ({ ...vote, at: at.toISOString() })),
    submittedBy,
    submittedAt: record.submittedAt.toISOString(),
  };
}

export function approvalView(listed: ListedApproval, reader: ApprovalReader): ApprovalShape {
  const { approval, campaignName, before } = listed;
  const summary = approvalSummaryView(approval);
  const campaignId = publicId('campaign', approval.campaignId);
  return {
    ...summary,
    campaignId,
    campaignName,
    covers: approval.covers,
    ...variantsOf(approval.covers),
    diff: before && {
      from: before.revision,
      to: approval.revision,
      differences: inFieldOrder(fields, before.covers, approval.covers),
    },
    startsAt: plannedStartOf(approval.covers)?.toISOString() ?? null,
    refusedToYou: refusalFor(reader, listed),
    links: {
      campaign: `/v1/campaigns/${campaignId}`,
      run: summary.runId === null ? null : `/v1/runs/${summary.runId}`,
    },
  };
}

function variantsOf({ chain, usersAtMost }: ApprovalCovers): Pick<ApprovalShape, 'variants'> {
  const variants = splitOf(chain);
  if (variants.length === 0) return {};
  const users = Object.values(usersAtMost).reduce((sum, count) => sum + count, 0);
  const parts = divideUsers(
    users,
    variants.map(({ weight = 0 }) => weight),
  );
  return {
    variants: variants.map(({ name, weight = 0 }, index) => ({ name, weight, usersAtMost: parts[index] ?? 0 })),
  };
}

function refusalFor(
  { caller, holder, approversSignIn }: ApprovalReader,
  { approval, authors, voters }: ListedApproval,
): string | null {
  const { countries, chain } = approval.covers;
  const actionTypes = chain.map(({ action }) => action);
  return (
    approverRefusal(caller, { countries, actionTypes }) ?? refusedApproval(holder, { authors, voters, approversSignIn })
  );
}
