import type { CountryReason, ReasonedOutcome } from '../../parts/failures/failure-reasons.ts';
import type { FailuresSearch } from './search.ts';

/** Filter of failures, with the API's names. Undefined fields do not filter. */
export interface FailureFilter {
  q?: string;
  step?: number;
  country?: string;
  reason?: string;
  outcome?: ReasonedOutcome;
  batch?: number;
  failedFrom?: string;
  failedUntil?: string;
}

/** Returns the filter without the cursor and without undefined fields. */
export function readFilter(search: FailuresSearch): FailureFilter {
  const { q, step, country, reason, outcome, batch, failedFrom, failedUntil } = search;
  return {
    ...(q !== undefined && { q }),
    ...(step !== undefined && { step }),
    ...(country !== undefined && { country }),
    ...(reason !== undefined && { reason }),
    ...(outcome !== undefined && { outcome }),
    ...(batch !== undefined && { batch }),
    ...(failedFrom !== undefined && { failedFrom }),
    ...(failedUntil !== undefined && { failedUntil }),
  };
}

/**
 * Returns the number of users that match the filter, from the run's report. Undefined if the filter uses fields that
 * the report does not count by.
 */
export function countUsers(failures: readonly CountryReason[], filter: FailureFilter): number | undefined {
  const { q, batch, failedFrom, failedUntil } = filter;
  if ([q, batch, failedFrom, failedUntil].some((each) => each !== undefined)) return undefined;
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

export interface NarrowestFilter {
  words: string;
  without: FailureFilter;
}

/** Returns the part of a filter that excludes most users, to be removed first; null if there is no filter. */
export function findNarrowest(filter: FailureFilter): NarrowestFilter | null {
  const { q, batch, reason, country, step, outcome, failedFrom, failedUntil } = filter;
  const drop = (words: string, ...names: (keyof FailureFilter)[]) => ({ words, without: without(filter, names) });
  if (q !== undefined) return drop(q, 'q');
  if (batch !== undefined) return drop(`batch ${batch}`, 'batch');
  if (failedFrom !== undefined || failedUntil !== undefined) return drop('the time', 'failedFrom', 'failedUntil');
  if (reason !== undefined) return drop(reason, 'reason');
  if (country !== undefined) return drop(country, 'country');
  if (step !== undefined) return drop(`step ${step}`, 'step');
  return outcome === undefined ? null : drop(outcome, 'outcome');
}

function without(filter: FailureFilter, names: readonly (keyof FailureFilter)[]): FailureFilter {
  return readFilter({ ...filter, ...Object.fromEntries(names.map((name) => [name, undefined])) });
}

export function describeFilter(filter: FailureFilter, formatTime: (instant: string) => string): string {
  const { q, step, country, reason, outcome, batch, failedFrom, failedUntil } = filter;
  const parts = [
    q !== undefined && `user ids that begin with “${q}”`,
    step !== undefined && `step ${step}`,
    country !== undefined && `country ${country}`,
    reason !== undefined && `reason ${reason}`,
    outcome !== undefined && `outcome ${outcome}`,
    batch !== undefined && `batch ${batch}`,
    (failedFrom !== undefined || failedUntil !== undefined) && `failed ${describeSpan(filter, formatTime)}`,
  ].filter((part) => part !== false);
  const words = parts.join(', ');
  return words === '' ? '' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Returns `from 10:40 until 10:45`; undefined if no time is chosen. */
export function describeSpan(
  { failedFrom, failedUntil }: Pick<FailureFilter, 'failedFrom' | 'failedUntil'>,
  formatTime: (instant: string) => string,
): string | undefined {
  const parts = [
    failedFrom !== undefined && `from ${formatTime(failedFrom)}`,
    failedUntil !== undefined && `until ${formatTime(failedUntil)}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : parts.join(' ');
}
