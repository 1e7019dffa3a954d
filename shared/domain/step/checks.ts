/**
 * What becomes of the users of a step whose check gives no answer at the last of its tries: they wait for it until the
 * deadline, they end as failed, or they are called without it.
 */
export const checkFallbacks = ['wait', 'fail', 'call'] as const;

/** Of a step of a chain: who is asked before it. */
export interface StepCheck {
  /** An action type that is a check. */
  readonly type: string;
  readonly onUnavailable: (typeof checkFallbacks)[number];
}

/** For people: by which check, and what it said of the user. */
export function refusalDetail(type: string, said: string | null): string {
  return said === null ? `refused by the check ${type}` : `refused by the check ${type}: ${said}`;
}
