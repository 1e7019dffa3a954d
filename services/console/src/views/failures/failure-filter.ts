import type { CountryReason, ReasonedOutcome } from '../../parts/failures/failure-reasons.ts';
import type { FailuresSearch } from './search.ts';

/** Whose failures: what is not said does not matter. */
export interface FailureFilter {
  step?: number;
  country?: string;
  reason?: string;
  outcome?: ReasonedOutcome;
}

/** The filter without the place in it, and without what is not said. */
export function filterOf({ step, country, reason, outcome }: FailuresSearch): FailureFilter {
  return {
    ...(step !== undefined && { step }),
    ...(country !== undefined && { country }),
    ...(reason !== undefined && { reason }),
    ...(outcome !== undefined && { outcome }),
  };
}

/** Users that a filter leaves, by the figures of the report. */
export function usersOf(failures: readonly CountryReason[], filter: FailureFilter): number {
  return failures.filter((each) => fits(each, filter)).reduce((sum, { users }) => sum + users, 0);
}

function fits(each: CountryReason, { step, country, reason, outcome }: FailureFilter): boolean {
  return (
    (step ?? each.step) === each.step &&
    (country ?? each.country) === each.country &&
    (reason ?? each.reason) === each.reason &&
    (outcome ?? each.outcome) === each.outcome
  );
}

export interface Narrowest {
  words: string;
  without: FailureFilter;
}

/** The part of a filter that leaves most out, to be dropped first; null where nothing is filtered. */
export function narrowest({ outcome, ...filter }: FailureFilter): Narrowest | null {
  const { step, country, reason } = filter;
  const kept = { ...filter, ...(outcome !== undefined && { outcome }) };
  if (reason !== undefined) return { words: reason, without: without(kept, 'reason') };
  if (country !== undefined) return { words: country, without: without(kept, 'country') };
  if (step !== undefined) return { words: `step ${step}`, without: without(kept, 'step') };
  return outcome === undefined ? null : { words: outcome, without: {} };
}

function without(filter: FailureFilter, name: keyof FailureFilter): FailureFilter {
  return filterOf({ ...filter, [name]: undefined });
}

/** `Step 2, country VN, reason wallet-closed.` */
export function filterWords({ step, country, reason, outcome }: FailureFilter): string {
  const parts = [
    step !== undefined && `step ${step}`,
    country !== undefined && `country ${country}`,
    reason !== undefined && `reason ${reason}`,
    outcome !== undefined && `outcome ${outcome}`,
  ].filter((part) => part !== false);
  const words = parts.join(', ');
  return words === '' ? '' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
