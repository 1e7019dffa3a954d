import type { ApprovalCovers } from '../../../../shared/contracts/campaigns/approvals.ts';
import type { ExpectedUsers } from '../../../../shared/contracts/campaigns/approval-summary.ts';
import type { ApprovalState } from '../../../../shared/domain/approval/approval-states.ts';
import type { SaidBudget } from '../../../../shared/domain/run/budgets.ts';

/** An approval as it is stored (docs/decisions/0082-how-approvals-work.md). */
export interface ApprovalRecord {
  approvalId: string;
  campaignId: string;
  revision: number;
  /** Of this run alone; null: of what the campaign starts by itself. */
  runId: string | null;
  /** Budgets of a campaign that was started, and is not approved yet. */
  raises: boolean;
  hash: string;
  covers: ApprovalCovers;
  /** By country, when it was submitted; null: its run asked for it. */
  expected: ExpectedUsers | null;
  state: ApprovalState;
  stateReason: string | null;
  stateSince: Date;
  needed: number;
  why: readonly string[];
  given: readonly { by: string; word: string | null; at: Date }[];
  /** Null: its run asked for it. */
  submittedBy: string | null;
  submittedAt: Date;
}

/** Budgets that people have approved: a bound by themselves, whichever rule asked for the approval. */
export interface ApprovedBudgets {
  /** Empty if no approval of the campaign is in force any more. */
  budgets: readonly SaidBudget[];
  /** The most that any approval of the campaign needed. */
  approvers: number;
}
