/**
 * The states of an approval, who moves it on, and what it lets happen.
 *
 * - `waiting`: submitted; approvers may approve it or send it back. Nothing begins by it.
 * - `approved`: as many have approved as the policy asks for. Runs that it covers begin by it.
 * - `sent-back`: an approver wants something else, and said what; also of what was approved already.
 * - `withdrawn`: its author has taken it back.
 * - `void`: what it covered has changed, was submitted anew, or its run came to more than it covered.
 *
 * A crash leaves each as it is: a move is one transaction.
 */
export const approvalStates = ['waiting', 'approved', 'sent-back', 'withdrawn', 'void'] as const;

export type ApprovalState = (typeof approvalStates)[number];

export const approvalVerbs = ['submit', 'approve', 'send-back', 'withdraw'] as const;

export type ApprovalVerb = (typeof approvalVerbs)[number];

/** `stays`: it is done already, which is no error. */
export type ApprovalMove = 'moves' | 'stays' | 'forbidden';

/** States in which a verb changes something, and those in which it is done already. */
const table: Record<ApprovalVerb, { from: readonly ApprovalState[]; done: readonly ApprovalState[] }> = {
  // What stands is submitted already; with other bounds it is submitted anew, which voids it.
  submit: { from: ['sent-back', 'withdrawn', 'void'], done: ['waiting', 'approved'] },
  // Of what is approved, another may be one more approver: a policy may have come to ask for more.
  approve: { from: ['waiting', 'approved'], done: [] },
  'send-back': { from: ['waiting', 'approved'], done: ['sent-back'] },
  withdraw: { from: ['waiting', 'approved'], done: ['withdrawn'] },
};

/** @param state of the newest approval; null: it was never submitted */
export function approvalMoveOf(verb: ApprovalVerb, state: ApprovalState | null): ApprovalMove {
  if (state === null) return verb === 'submit' ? 'moves' : 'forbidden';
  const { from, done } = table[verb];
  if (done.includes(state)) return 'stays';
  return from.includes(state) ? 'moves' : 'forbidden';
}

export function statesFor(verb: ApprovalVerb): readonly ApprovalState[] {
  return table[verb].from;
}
