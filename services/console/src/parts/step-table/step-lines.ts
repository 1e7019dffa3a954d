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
 * Beside a country in a step: a part of it waits, or how all of it has ended.
 * - `done`: everybody who was called was served.
 * - `partly`: some were served, and others failed, are unknown, or were cut off.
 * - `failed`: nobody was served, and some failed or are unknown.
 * - `nobody`: nobody was served, and no call failed: skipped, withheld, expired or cancelled.
 */
export type CountryMark = 'done' | 'partly' | 'failed' | 'nobody' | 'waits';

export type MarkOf = (country: string, step: number) => CountryMark | null;

/** What a step of a country waits for, in a word or two. */
export interface StepWait {
  step: number;
  /** `waits`, `held`, `budget used up`, `no worker`, `breaker open` */
  words: string;
  /** Nobody is called there now. */
  isStopped: boolean;
}

export type WaitOf = (country: string, step: number) => StepWait | null;

export interface StepTableProps {
  steps: readonly StepCounts[];
  countries: readonly CountryCounts[];
  /** Live tables show who is pending, reports the share that succeeded. */
  manner: 'live' | 'report';
  markOf?: MarkOf;
  waitOf?: WaitOf;
}

/** Which steps are open to their countries; nothing where all of them are, and stay so. */
export interface StepFolds {
  opened?: ReadonlySet<number>;
  onToggle?: (step: number) => void;
}

/** The countries of a step; none where it is folded. */
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
