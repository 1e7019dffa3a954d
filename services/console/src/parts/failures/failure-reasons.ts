import { formatCount } from '../words/numbers.ts';

export const reasonedOutcomes = ['failed', 'suppressed', 'unknown'] as const;
export type ReasonedOutcome = (typeof reasonedOutcomes)[number];

/** A reason in one country, as the API reports it. */
export interface CountryReason {
  step: number;
  country: string;
  outcome: ReasonedOutcome;
  reason: string;
  users: number;
  sample: readonly string[];
}

/** A reason in a step, over all countries. */
export interface ReasonRow {
  key: string;
  step: number;
  outcome: ReasonedOutcome;
  reason: string;
  users: number;
  /** Countries with their users, most users first. */
  countries: { country: string; users: number }[];
  /** Ids of at most five users. */
  sample: string[];
}

const maxSample = 5;

/**
 * Returns the reasons, those with most users first. Reasons with equally many users are sorted by step, so that rows do
 * not swap places.
 */
export function reasonRows(reasons: readonly CountryReason[]): ReasonRow[] {
  const byKey = Map.groupBy(reasons, keyOf);
  const rows = [...byKey].flatMap(([key, reported]) => {
    const [first] = reported;
    return first ? [rowOf(key, first, reported)] : [];
  });
  return rows.sort((a, b) => b.users - a.users || a.step - b.step || a.reason.localeCompare(b.reason));
}

/**
 * Returns the number of users who failed in a run that may still be under way. The counts of the steps and of the
 * reasons arrive at different times. Both only grow, so the greater sum is the newer one.
 */
export function failedUsers(steps: readonly { failed: number }[], reasons: readonly CountryReason[]): number {
  const withReason = usersOf(reasons, 'failed');
  return Math.max(
    withReason,
    steps.reduce((sum, { failed }) => sum + failed, 0),
  );
}

export function usersOf(reasons: readonly CountryReason[], outcome: ReasonedOutcome): number {
  return reasons.reduce((sum, reason) => sum + (reason.outcome === outcome ? reason.users : 0), 0);
}

/** Returns the users by outcome, such as `12 failed, 3 unknown`; failed users come first. */
export function formatOutcomeCounts(failed: number, reasons: readonly CountryReason[]): string {
  const others = (['suppressed', 'unknown'] as const).flatMap((outcome) => {
    const users = usersOf(reasons, outcome);
    return users === 0 ? [] : [`${formatCount(users)} ${outcome}`];
  });
  return [`${formatCount(failed)} failed`, ...others].join(', ');
}

function keyOf({ step, outcome, reason }: CountryReason): string {
  return `${step} ${outcome} ${reason}`;
}

function rowOf(key: string, { step, outcome, reason }: CountryReason, reported: readonly CountryReason[]): ReasonRow {
  const countries = reported.map(({ country, users }) => ({ country, users })).sort((a, b) => b.users - a.users);
  return {
    key,
    step,
    outcome,
    reason,
    countries,
    users: reported.reduce((sum, { users }) => sum + users, 0),
    sample: reported.flatMap(({ sample }) => sample).slice(0, maxSample),
  };
}

/**
 * Returns true if the users of a reason can be retried. Users with an unknown outcome have to be settled first, because
 * a retry might serve them twice.
 */
export function canRetry({ outcome, reason }: Pick<ReasonRow, 'outcome' | 'reason'>): boolean {
  return outcome === 'failed' && reason !== 'muster.invalid-user-id';
}

export interface RetryRequest {
  reasons: string[];
  steps: number[];
}

export function retryRequest(selected: readonly ReasonRow[]): RetryRequest {
  const steps = new Set(selected.map(({ step }) => step));
  const reasons = new Set(selected.map(({ reason }) => reason));
  return { reasons: [...reasons].sort(), steps: [...steps].sort((a, b) => a - b) };
}

/**
 * Returns the unselected rows that a retry of the selected rows would include. The API takes a list of reasons and a
 * list of steps, not pairs of them.
 */
export function findImpliedRows(rows: readonly ReasonRow[], selected: readonly ReasonRow[]): ReasonRow[] {
  const request = retryRequest(selected);
  return rows.filter(
    (row) =>
      canRetry(row) &&
      request.steps.includes(row.step) &&
      request.reasons.includes(row.reason) &&
      !selected.includes(row),
  );
}
