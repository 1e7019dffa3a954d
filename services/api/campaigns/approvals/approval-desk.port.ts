import type { ApprovalCovers } from '../../../../shared/contracts/campaigns/approvals.ts';
import type { Budget } from '../../../../shared/contracts/campaigns/budgets.ts';
import type { ExpectedUsers } from '../../../../shared/contracts/campaigns/approval-summary.ts';
import type { KeyHolder } from '../../../../shared/domain/approval/approvers.ts';
import type { ApprovalNeed, ApprovalRule, StartedSum } from '../../../../shared/domain/approval/approval-policy.ts';
import type { ApprovalState, ApprovalVerb } from '../../../../shared/domain/approval/approval-states.ts';
import type { Clearance, ClearedBy } from '../../../../shared/domain/approval/clearance.ts';
import type { SaidBudget } from '../../../../shared/domain/run/budgets.ts';
import type { StepPrices, UsersByCountry } from '../../../../shared/domain/approval/user-bounds.ts';
import type { CampaignScope } from '../../../../shared/domain/scopes.ts';
import type { CampaignRecord } from '../campaign-store.port.ts';
import type { Page } from '../../frame/page.port.ts';
import type { ApprovalRecord, ApprovedBudgets } from './approvals.port.ts';

export interface PolicyRecord {
  /** 0: there never was one. */
  revision: number;
  rules: ApprovalRule[];
  /** True: only votes of people who signed in through an issuer count; votes of keys do not. */
  approversSignIn: boolean;
  madeAt: Date | null;
}

/** In a list, with what an approver wants to know beside it. */
export interface ListedApproval {
  approval: ApprovalRecord;
  campaignName: string;
  /** What was approved last before it; null where nothing was. */
  before: { revision: number; covers: ApprovalCovers } | null;
  /** Who wrote a revision since then, or submitted it: none of them approves it. */
  authors: readonly KeyHolder[];
  /** Keys that have approved the revision already. */
  voters: readonly KeyHolder[];
}

/** Who asks. */
export interface Approver {
  key: string;
}

export interface ApprovalSearch {
  state?: ApprovalState | undefined;
  campaignId?: string | undefined;
  runId?: string | undefined;
  /** Campaigns that the caller may see; undefined: all. */
  within?: CampaignScope | undefined;
}

export type JudgedStart = ClearedBy & { clearance: Clearance };

/**
 * What became of a verb.
 * - `forbidden`: the state does not allow it; null: it was never submitted
 * - `other-hash`: what is in force has another hash
 * - `refused`: the key that asks may not approve it, or its author is not known
 * - `none-needed`: the policy asks for none of what was submitted
 * - `changed`: the campaign is at another revision by now
 */
export type Decided =
  | { kind: 'done'; approval: ApprovalRecord; isLast: boolean }
  | { kind: 'forbidden'; verb: ApprovalVerb; state: ApprovalState | null }
  | { kind: 'other-hash'; hash: string }
  | { kind: 'refused'; why: string }
  | { kind: 'none-needed' }
  | { kind: 'changed' };

export interface Submission {
  /** With the budgets that are asked for. */
  campaign: CampaignRecord;
  /** Budgets of a campaign that was started, as they are, where they are to be raised. */
  raise?: { before: readonly SaidBudget[]; wanted: readonly SaidBudget[] } | undefined;
  usersAtMost: UsersByCountry;
  expected: ExpectedUsers;
  by: Approver;
}

export interface Approving {
  campaignId: string;
  hash: string;
  word: string | null;
  by: Approver;
}

export interface BudgetsChange {
  /** The new budgets of countries that have one, each in the same unit or currency as before. */
  wanted: readonly Budget[];
  detail: Readonly<Record<string, unknown>>;
  /** The key that asks for it. */
  by: string;
}

export interface ApprovalDesk {
  policy(): Promise<PolicyRecord>;
  /** What a run of a revision would begin with. */
  prices(of: { campaignId: string; revision: number }): Promise<StepPrices>;
  /** Returns the bound of raises by what was approved of a campaign. Null: nothing ever was. */
  approvedBudgets(campaignId: string): Promise<ApprovedBudgets | null>;
  /** Another revision. @returns undefined where it is at another than the expected one */
  setPolicy(
    policy: Pick<PolicyRecord, 'rules' | 'approversSignIn'>,
    expected: number | null,
    by: string,
  ): Promise<PolicyRecord | undefined>;
  /** Returns a key with the keys and persons behind it, which decide whether its vote counts. */
  holder(key: string): Promise<KeyHolder>;
  list(search: ApprovalSearch, limit: number, cursor: string | null): Promise<Page<ListedApproval>>;
  get(approvalId: string): Promise<ListedApproval | undefined>;
  /** Whether a run waits for an approval. */
  isRunWaiting(runId: string): Promise<boolean>;
  /**
   * Judges the start of a campaign of which so many users are known.
   * @param startsNow the key that starts a campaign at once, so that the sums of now count; null: it begins later, and
   *   its runs are judged by the sums of that time
   */
  judge(campaign: CampaignRecord, users: UsersByCountry, startsNow: string | null): Promise<JudgedStart>;
  /** Reads the sums that a raise of a campaign's budgets is judged by; its own runs are not in them. */
  sumsOfRaise(campaign: CampaignRecord, by: string): Promise<readonly StartedSum[]>;
  /**
   * Judges changes of budgets of a campaign that was started, and writes them if they need no approval, in one
   * transaction: nothing else that is judged by the same sums or budgets comes between. A raise counts from then on.
   * The runs of the campaign that have not ended get an event `changed` with the detail.
   */
  changeBudgets(campaign: CampaignRecord, change: BudgetsChange): Promise<ApprovalNeed>;
  submit(submission: Submission): Promise<Decided>;
  /** The last one that is needed lets a run go on that waits for it. */
  approve(approving: Approving): Promise<Decided>;
  /** @param hash null: of the campaign itself */
  sendBack(campaignId: string, hash: string | null, word: string): Promise<Decided>;
  withdraw(campaignId: string): Promise<Decided>;
}
