/**
 * States of an approval, the person who changes them, and their effect.
 *
 * - `waiting`: submitted; approvers may approve it or send it back. No run starts.
 * - `approved`: as many people have approved as the policy requires. Runs that it covers may start.
 * - `sent-back`: an approver requests a change and gave a reason; possible after the approval too.
 * - `withdrawn`: its author has withdrawn it.
 * - `void`: its content has changed, it was submitted anew, or its run became larger than the approval covers.
 *
 * A crash leaves every state unchanged: a transition is one transaction.
 */
export const approvalStates = ['waiting', 'approved', 'sent-back', 'withdrawn', 'void'] as const;

export type ApprovalState = (typeof approvalStates)[number];

export const approvalVerbs = ['submit', 'approve', 'send-back', 'withdraw'] as const;

export type ApprovalVerb = (typeof approvalVerbs)[number];

/** Effect of a verb on an approval. `stays` means that the verb has taken effect already, which is no error. */
export type ApprovalMove = 'moves' | 'stays' | 'forbidden';

/** States in which a verb changes the approval, and states in which the verb has taken effect already. */
const table: Record<ApprovalVerb, { from: readonly ApprovalState[]; done: readonly ApprovalState[] }> = {
  // A waiting or approved campaign is submitted already. A submission with other bounds voids the approval first.
  submit: { from: ['sent-back', 'withdrawn', 'void'], done: ['waiting', 'approved'] },
  // Another person may also approve an approved campaign: the policy may require more approvers by now.
  approve: { from: ['waiting', 'approved'], done: [] },
  'send-back': { from: ['waiting', 'approved'], done: ['sent-back'] },
  withdraw: { from: ['waiting', 'approved'], done: ['withdrawn'] },
};

/**
 * Returns the effect of a verb on an approval.
 * @param state of the newest approval; null: the campaign was never submitted
 */
export function approvalMoveOf(verb: ApprovalVerb, state: ApprovalState | null): ApprovalMove {
  if (state === null) return verb === 'submit' ? 'moves' : 'forbidden';
  const { from, done } = table[verb];
  if (done.includes(state)) return 'stays';
  return from.includes(state) ? 'moves' : 'forbidden';
}

export function statesFor(verb: ApprovalVerb): readonly ApprovalState[] {
  return table[verb].from;
}
