/**
 * Fallbacks if a step's check gives no answer at its last try. The users wait for an answer until the deadline, end as
 * failed, or are called without the check.
 */
export const checkFallbacks = ['wait', 'fail', 'call'] as const;

export interface StepCheck {
  readonly type: string;
  readonly onUnavailable: (typeof checkFallbacks)[number];
}

/** Returns the detail of a refusal for people: the check and its answer about the user. */
export function refusalDetail(type: string, reason: string | null): string {
  return reason === null ? `refused by the check ${type}` : `refused by the check ${type}: ${reason}`;
}
