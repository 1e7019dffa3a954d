import type { Approval, ApprovalRule, ApprovalSummary } from '../../sdk/generated/types.gen.ts';
import { moneyWords } from '../../shared/domain/money/amounts.ts';
import { rangeText, sumOfBounds } from '../show/render-estimate.ts';
import type { View } from '../show/paint.ts';
import { count } from '../show/numbers.ts';
import { cut, left, renderFacts, right } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

const usersOf = ({ usersAtMost }: ApprovalSummary) => Object.values(usersAtMost).reduce((sum, each) => sum + each, 0);

/** Formats `at most 3,150 users (SG 1,050, ID 2,100) and 6,300 units, 315.00 EUR`. */
export function coverText(approval: ApprovalSummary): string {
  const byCountry = Object.entries(approval.usersAtMost).map(([country, users]) => `${country} ${count(users)}`);
  const units = approval.unitsAtMost === null ? '' : ` and ${count(approval.unitsAtMost)} units`;
  const cost = approval.costAtMost;
  const money = cost === null ? '' : `, ${moneyWords(cost.amount, cost.currency ?? '').trim()}`;
  return `at most ${count(usersOf(approval))} users (${byCountry.join(', ')})${units}${money}`;
}

/** Formats `40 to 2,857 users`; null if a run requested the approval. */
function expectedText({ usersExpected }: ApprovalSummary): string | null {
  if (usersExpected === null) return null;
  return `${rangeText(sumOfBounds(Object.values(usersExpected)))} users, as they were estimated`;
}

/** Formats `waiting, 1 of 2`. */
export function approvalStateText({ state, given, requiredApprovers, raisesBudgets }: ApprovalSummary): string {
  const what = raisesBudgets ? 'raise of budgets ' : '';
  return state === 'waiting' ? `${what}waiting, ${given.length} of ${requiredApprovers}` : state;
}

export const approvalColumns = [
  left('id', ({ id }: Approval) => id),
  cut('campaign', ({ campaignName }: Approval) => campaignName),
  left('of', ({ campaignId, runId }: Approval) => runId ?? campaignId),
  left('state', (approval: Approval) => approvalStateText(approval)),
  right('users', (approval: Approval) => usersOf(approval)),
  right('units', ({ unitsAtMost }: Approval) => unitsAtMost ?? ''),
  left('by', ({ submittedBy }: Approval) => submittedBy ?? 'its run'),
  left('starts', ({ startsAt }: Approval) => (startsAt === null ? '' : utcTime(startsAt))),
];

export const ruleColumns = [
  left('countries', ({ countries }: ApprovalRule) => countries?.join(' ') ?? 'all'),
  right('users above', ({ usersAbove }: ApprovalRule) => usersAbove ?? ''),
  right('units above', ({ unitsAbove }: ApprovalRule) => unitsAbove ?? ''),
  right('costs above', ({ amountAbove }: ApprovalRule) => amountAbove ?? ''),
  right('approvers', ({ approvers }: ApprovalRule) => approvers),
];

/** Renders what an approval covers; changed lines also show the previously approved value. */
export function renderApproval(approval: Approval, view: View): string {
  const { id, campaignName, campaignId, runId, revision, reasons, given, stateReason, covers, diff } = approval;
  const { submittedBy, submittedAt, refusedToYou, hash } = approval;
  const what = diff
    ? diff.differences.map(
        ({ pointer, before, after }) => `${pointer.slice(1)} ${valueText(before)} → ${valueText(after)}`,
      )
    : Object.entries(covers).map(([field, value]) => `${field} ${valueText(value)}`);
  return renderFacts(
    { name: campaignName, facts: [id, runId ?? campaignId, `revision ${revision}`, approvalStateText(approval)] },
    [
      ['covers', coverText(approval)],
      ['expected', expectedText(approval)],
      ['because of', reasons],
      [diff ? `since revision ${diff.from}` : 'what', what.length === 0 ? 'nothing differs' : what],
      ['submitted', `${utcTime(submittedAt)} by ${submittedBy ?? 'its run'}`],
      ['approved by', given.map(({ by, comment }) => (comment === null ? by : `${by}: ${comment}`))],
      ['reason', stateReason],
      ['you', refusedToYou],
      ['hash', hash],
    ],
    view,
  );
}

function valueText(value: unknown): string {
  return value === undefined ? 'not there' : JSON.stringify(value);
}
