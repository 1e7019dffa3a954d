import type { ApprovalSummary } from '#client/types.gen.ts';
import type { IconName } from '../icon/icon.tsx';
import { countOf, formatCount } from '../words/numbers.ts';
import { userCountOf, sumOfBounds, type UserCount } from '../audience/user-count.ts';

export function usersAtMost({ usersAtMost: byCountry }: Pick<ApprovalSummary, 'usersAtMost'>): number {
  return Object.values(byCountry).reduce((sum, users) => sum + users, 0);
}

/** Returns the expected users as known at the submission. Null if the run itself requested the approval. */
export function usersExpected({
  usersExpected: byCountry,
  submittedAt,
}: Pick<ApprovalSummary, 'usersExpected' | 'submittedAt'>): UserCount | null {
  return byCountry === null ? null : userCountOf(sumOfBounds(Object.values(byCountry)), submittedAt);
}

interface ApprovalLook {
  icon: IconName;
  words: string;
  tone: 'ok' | 'warn' | 'bad' | 'idle';
}

/** Returns the badge of an approval, such as `Needs 2, has 1`. */
export function approvalLook({ state, requiredApprovers, given }: ApprovalSummary): ApprovalLook {
  switch (state) {
    case 'waiting':
      return { icon: 'review', words: `Needs ${requiredApprovers}, has ${given.length}`, tone: 'warn' };
    case 'approved':
      return { icon: 'done', words: 'Approved', tone: 'ok' };
    case 'sent-back':
      return { icon: 'left', words: 'Sent back', tone: 'warn' };
    case 'withdrawn':
      return { icon: 'left', words: 'Withdrawn', tone: 'idle' };
    case 'void':
      return { icon: 'cancelled', words: 'Void', tone: 'bad' };
  }
}

/** Returns the outcome of an approval in one line: `approved by rahayu`, `sent back: “no hold-out?”`. */
export function describeApprovalOutcome({ state, stateReason, given, submittedBy }: ApprovalSummary): string {
  const names = given.map(({ by }) => by).join(', ');
  switch (state) {
    case 'waiting':
      return names === '' ? `submitted by ${submittedBy ?? 'its run'}` : `approved by ${names} so far`;
    case 'approved':
      return `approved by ${names}`;
    case 'sent-back':
      return `sent back: “${stateReason ?? ''}”`;
    case 'withdrawn':
      return 'withdrawn by its author';
    case 'void':
      return `void: ${stateReason ?? 'its run has ended'}`;
  }
}

/** Returns the users by country, such as `SG 1,050 · ID 2,100`. */
export function formatUsersByCountry({ usersAtMost: byCountry }: Pick<ApprovalSummary, 'usersAtMost'>): string {
  return Object.entries(byCountry)
    .map(([country, users]) => `${country} ${formatCount(users)}`)
    .join(' · ');
}

/** Returns the number of people who have to approve, and the reasons. */
export function describeApprovalNeed({
  requiredApprovers,
  reasons,
}: Pick<ApprovalSummary, 'requiredApprovers' | 'reasons'>): string {
  const people = requiredApprovers === 1 ? '1 person has' : `${countOf(requiredApprovers, 'person', 'people')} have`;
  return `${people} to approve it, not its author: ${reasons.join(', ')}.`;
}
