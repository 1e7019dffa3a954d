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

/** Beside a country: that all of it has ended, or that a part of it waits. */
export type CountryMark = 'done' | 'waits';

export interface StepTableProps {
  steps: readonly StepCounts[];
  countries: readonly CountryCounts[];
  /** Live tables show who is pending, reports the share that succeeded. */
  manner: 'live' | 'report';
  markOf?: (country: string, step: number) => CountryMark | null;
}
