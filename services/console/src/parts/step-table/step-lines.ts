import type { OutcomeCounts } from '../outcomes/outcomes.ts';

export interface StepCounts extends OutcomeCounts {
  step: number;
  action: string;
  audience: number;
}

export interface CountryCounts {
  country: string;
  steps: readonly StepCounts[];
}

/**
 * Mark of a country in a step: whether a part of it waits, or how it has ended.
 * - `done`: every user who was called was served.
 * - `partly`: some users were served; others failed, are unknown, or were cut off.
 * - `failed`: no user was served, and some failed or are unknown.
 * - `nobody`: no user was served, and no call failed: all were skipped, suppressed, expired or cancelled.
 */
export type CountryMark = 'done' | 'partly' | 'failed' | 'nobody' | 'waits';

export type MarkOf = (country: string, step: number) => CountryMark | null;

/** Reason why a step of a country waits, in one or two words. */
export interface StepWait {
  step: number;
  /** Text such as `waits`, `held`, `budget used up`, `no worker`, `breaker open`. */
  words: string;
  /** True if no user of the country is called in this step at present. */
  isStopped: boolean;
}

export type WaitOf = (country: string, step: number) => StepWait | null;

export interface StepTableProps {
  steps: readonly StepCounts[];
  countries: readonly CountryCounts[];
  /** Live tables show pending users, reports the share that succeeded. */
  manner: 'live' | 'report';
  markOf?: MarkOf;
  waitOf?: WaitOf;
}

/** Steps whose countries are shown. Undefined if the countries of all steps are always shown. */
export interface StepFolds {
  opened?: ReadonlySet<number>;
  onToggle?: (step: number) => void;
}

/** Returns the lines of a step's countries; empty if the step is folded. */
export function linesOf(
  countries: readonly CountryCounts[],
  step: number,
  isOpen = true,
): { country: string; line: StepCounts }[] {
  if (!isOpen) return [];
  return countries.flatMap(({ country, steps }) => {
    const line = steps.find((each) => each.step === step);
    return line ? [{ country, line }] : [];
  });
}
