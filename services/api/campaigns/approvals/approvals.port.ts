import type { ApprovalCovers } from '../../../../shared/contracts/campaigns/approvals.ts';
import type { CampaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { ExpectedUsers } from '../../../../shared/contracts/campaigns/approval-summary.ts';
import type { ApprovalState } from '../../../../shared/domain/approval/approval-states.ts';
import type { BudgetLimit } from '../../../../shared/domain/run/budgets.ts';

/** Approval as it is stored (docs/decisions/0082-how-approvals-work.md). */
export interface ApprovalRecord {
  approvalId: string;
  campaignId: string;
  revision: number;
  /** Run for which the approval is requested; null if it is requested for the campaign. */
  runId: string | null;
  /** True if the approval is for raised budgets of a started campaign and has not been given yet. */
  raisesBudgets: boolean;
  hash: string;
  covers: ApprovalCovers;
  /** Estimates by country at the time of the submission; null if a run requested the approval. */
  expected: ExpectedUsers | null;
  state: ApprovalState;
  stateReason: string | null;
  stateSince: Date;
  requiredApprovers: number;
  reasons: readonly string[];
  given: readonly { by: string; comment: string | null; at: Date }[];
  /** Key that submitted the campaign; null if a run requested the approval. */
  submittedBy: string | null;
  submittedAt: Date;
}

/** Content of a campaign to be approved, and the newest approval of the campaign itself, if any. */
export interface ApprovableCampaign {
  campaignId: string;
  revision: number;
  definition: CampaignDefinition;
  approval: ApprovalRecord | null;
}

/** Budgets that people have approved. They limit later raises, whichever rule of the policy required the approval. */
export interface ApprovedBudgets {
  /** Approved budgets; empty if no approval of the campaign is in force. */
  budgets: readonly BudgetLimit[];
  /** Largest number of approvers that an approval of the campaign required. */
  approvers: number;
}
