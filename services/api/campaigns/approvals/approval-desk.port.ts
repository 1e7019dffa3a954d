import type { ApprovalCovers } from '../../../../shared/contracts/campaigns/approvals.ts';
import type { Budget } from '../../../../shared/contracts/campaigns/budgets.ts';
import type { ExpectedUsers } from '../../../../shared/contracts/campaigns/approval-summary.ts';
import type { KeyHolder } from '../../../../shared/domain/approval/approvers.ts';
import type {
  ApprovalNeed,
  ApprovalRule,
  UnapprovedStartTotal,
} from '../../../../shared/domain/approval/approval-policy.ts';
import type { ApprovalState, ApprovalVerb } from '../../../../shared/domain/approval/approval-states.ts';
import type { Clearance, ClearedBy } from '../../../../shared/domain/approval/clearance.ts';
import type { BudgetLimit } from '../../../../shared/domain/run/budgets.ts';
import type { StepPrices, UsersByCountry } from '../../../../shared/domain/approval/user-bounds.ts';
import type { CampaignScope } from '../../../../shared/domain/scopes.ts';
import type { Page } from '../../frame/page.port.ts';
import type { ApprovableCampaign, ApprovalRecord, ApprovedBudgets } from './approvals.port.ts';

export interface PolicyRecord {
  /** Revision of the policy; 0 before the first policy was set. */
  revision: number;
  rules: ApprovalRule[];
  /** True if only votes of people who signed in through an issuer count, and votes of API keys do not. */
  approversSignIn: boolean;
  madeAt: Date | null;
}

export interface ListedApproval {
  approval: ApprovalRecord;
  campaignName: string;
  /** Last approval before this one; null if this is the first. */
  before: { revision: number; covers: ApprovalCovers } | null;
  /** Keys that wrote a revision since the last approval, or submitted the campaign now. None of them may approve it. */
  authors: readonly KeyHolder[];
  /** Keys that have approved the revision so far. */
  voters: readonly KeyHolder[];
}

export interface Approver {
  key: string;
}

export interface ApprovalSearch {
  state?: ApprovalState | undefined;
  campaignId?: string | undefined;
  runId?: string | undefined;
  /** Campaigns that the caller may see; undefined means all campaigns. */
  within?: CampaignScope | undefined;
}

export type JudgedStart = ClearedBy & { clearance: Clearance };

/**
 * Result of an approval command.
 * - `forbidden`: the state of the approval does not allow the command. The state is null if the campaign was never
 *   submitted.
 * - `other-hash`: the approval in force has another hash.
 * - `refused`: the caller's key may not approve the revision, or the author of the revision is unknown.
 * - `none-needed`: the policy requires no approval of the submission.
 * - `changed`: the campaign has another revision by now.
 */
export type Decision =
  | { kind: 'done'; approval: ApprovalRecord; isLast: boolean }
  | { kind: 'forbidden'; verb: ApprovalVerb; state: ApprovalState | null }
  | { kind: 'other-hash'; hash: string }
  | { kind: 'refused'; why: string }
  | { kind: 'none-needed' }
  | { kind: 'changed' };

export interface Submission {
  /** Campaign with the requested budgets. */
  campaign: ApprovableCampaign;
  /** Current and requested budgets, if the submission raises budgets of a started campaign. */
  raise?: { before: readonly BudgetLimit[]; wanted: readonly BudgetLimit[] } | undefined;
  usersAtMost: UsersByCountry;
  expected: ExpectedUsers;
  by: Approver;
}

export interface ApprovalRequest {
  campaignId: string;
  hash: string;
  comment: string | null;
  by: Approver;
}

export interface BudgetsChange {
  /** New budgets, for the countries that have a budget; each in the same unit or currency as before. */
  wanted: readonly Budget[];
  detail: Readonly<Record<string, unknown>>;
  by: string;
}

export interface ApprovalDesk {
  policy(): Promise<PolicyRecord>;
  /** Returns the prices with which a run of the revision would begin. */
  prices(revision: { campaignId: string; revision: number }): Promise<StepPrices>;
  /**
   * Returns the approved budgets. Raises up to them need no further approval. Returns null if the campaign was never
   * approved.
   */
  approvedBudgets(campaignId: string): Promise<ApprovedBudgets | null>;
  /**
   * Stores a new revision of the policy.
   * @returns undefined if the current revision is not the expected one
   */
  setPolicy(
    policy: Pick<PolicyRecord, 'rules' | 'approversSignIn'>,
    expected: number | null,
    by: string,
  ): Promise<PolicyRecord | undefined>;
  /** Returns a key with the keys and persons that created or changed it. They decide whether the key's vote counts. */
  holder(key: string): Promise<KeyHolder>;
  list(search: ApprovalSearch, limit: number, cursor: string | null): Promise<Page<ListedApproval>>;
  get(approvalId: string): Promise<ListedApproval | undefined>;
  isRunWaiting(runId: string): Promise<boolean>;
  /**
   * Checks whether the policy requires an approval for a start with the given numbers of users.
   * @param startsNow key that starts the campaign at once; the check then includes users that this key started recently
   * without an approval. Null if the campaign begins later: each run is then checked when it begins.
   */
  judge(campaign: ApprovableCampaign, users: UsersByCountry, startsNow: string | null): Promise<JudgedStart>;
  /**
   * Returns the numbers of users that were started recently without an approval. A raise of a campaign's budgets is
   * checked against them. Runs of the campaign itself are excluded.
   */
  sumsOfRaise(campaign: ApprovableCampaign, by: string): Promise<readonly UnapprovedStartTotal[]>;
  /**
   * Checks a change of a started campaign's budgets, and writes it if it needs no approval. Both happen in one
   * transaction, so that no concurrent decision uses the same sums or budgets. Later decisions include the raise.
   * Unfinished runs receive an event `changed` with the detail.
   */
  changeBudgets(campaign: ApprovableCampaign, change: BudgetsChange): Promise<ApprovalNeed>;
  submit(submission: Submission): Promise<Decision>;
  /** Adds an approval. The last required approval resumes a run that waits for it. */
  approve(approving: ApprovalRequest): Promise<Decision>;
  /**
   * Sends a submission back to its author.
   * @param hash hash of the submission; null means the approval of the campaign itself
   */
  sendBack(campaignId: string, hash: string | null, comment: string): Promise<Decision>;
  withdraw(campaignId: string): Promise<Decision>;
}
