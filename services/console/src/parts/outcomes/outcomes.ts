/**
 * Outcomes in the order in which the console shows them. The order equals that of the report's equation, so that two
 * bars can be compared, and each colour keeps its position.
 */
export const outcomeOrder = [
  'succeeded',
  'failed',
  'skipped',
  'suppressed',
  'heldOut',
  'expired',
  'cancelled',
  'unknown',
  'pending',
] as const;

export type OutcomeName = (typeof outcomeOrder)[number];

/**
 * Number of users by outcome, for a step, a country or a whole run. A count is negative if the counts do not add up to
 * the audience.
 */
export type OutcomeCounts = Record<OutcomeName, number>;

export const outcomeWords: Record<OutcomeName, string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  skipped: 'skipped',
  suppressed: 'suppressed',
  heldOut: 'held out',
  expired: 'expired',
  cancelled: 'cancelled',
  unknown: 'unknown',
  pending: 'pending',
};

export const outcomeMeanings: Record<OutcomeName, string> = {
  succeeded: 'The endpoint confirmed it. For messages: accepted for delivery.',
  failed: 'The endpoint reported a failure with a reason, or Muster did. Its reasons start with “muster.”.',
  skipped: 'An earlier step of the chain did not succeed for this user.',
  suppressed: 'A rule, such as a suppression list, excluded the user. No call was made.',
  heldOut: 'In the audience, but receives nothing on purpose.',
  expired: 'The deadline of the run passed before the step could be done.',
  cancelled: 'A person cancelled the run first.',
  unknown: 'The endpoint may or may not have applied it. Settle these users to find out.',
  pending: 'Has no outcome in this step yet.',
};

export interface OutcomeSegment {
  outcome: OutcomeName;
  users: number;
  /** Users of this segment as a share of the users of all segments, above 0 and at most 1. */
  share: number;
}

/** Returns the segments of a bar: outcomes with users, in the fixed order. Empty for a line without users. */
export function segmentsOf(counts: OutcomeCounts): OutcomeSegment[] {
  const present = outcomeOrder.filter((outcome) => counts[outcome] > 0);
  const all = present.reduce((sum, outcome) => sum + counts[outcome], 0);
  return present.map((outcome) => ({ outcome, users: counts[outcome], share: counts[outcome] / all }));
}

/** Returns the outcomes with users in any of the lines, and the outcomes in `always`, in the fixed order. */
export function outcomesIn(lines: readonly OutcomeCounts[], always: readonly OutcomeName[] = []): OutcomeName[] {
  return outcomeOrder.filter((outcome) => always.includes(outcome) || lines.some((line) => line[outcome] !== 0));
}

function endedUsersOf(counts: OutcomeCounts): number {
  return outcomeOrder.reduce((sum, outcome) => (outcome === 'pending' ? sum : sum + counts[outcome]), 0);
}

/** Returns true if the outcomes of a line add up to its audience, with nothing counted twice. */
export function addsUp({ audience, ...counts }: OutcomeCounts & { audience: number }): boolean {
  return counts.pending >= 0 && endedUsersOf(counts) + counts.pending === audience;
}
