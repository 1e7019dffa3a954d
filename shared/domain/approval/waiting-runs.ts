/** Prefix of the reason of a paused run that continues when it is approved, unless a person has paused the run too. */
export const waitsForApproval = 'waits for approval';

export function isWaitingForApproval(stateReason: string | null): boolean {
  return stateReason?.startsWith(waitsForApproval) ?? false;
}
