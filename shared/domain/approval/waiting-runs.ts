/** How the reason of a paused run begins that goes on when it is approved, unless a person has paused it too. */
export const waitsForApproval = 'waits for approval';

export function isWaitingForApproval(stateReason: string | null): boolean {
  return stateReason?.startsWith(waitsForApproval) ?? false;
}
