import { outcomeOrder, type OutcomeCounts } from '../outcomes/outcomes.ts';
import type { CountryCounts, MarkOf, StepCounts } from './step-lines.ts';

/** Number of countries above which the rows are folded. */
export const foldedAbove = 8;

/**
 * Minimum share of failed users at which a country needs attention. The share must also be at least `timesAsMany` times
 * the share of all countries.
 */
const highFailedShare = 0.03;
const timesAsMany = 2;

export interface Trouble {
  /** Number of waiting users. If 0, no user waits: the problem is that too many users have failed. */
  waiting: number;
  /** Share of the country's users that failed at any step. */
  failedShare: number;
}

export interface CountryRow extends CountryCounts {
  audience: number;
  trouble: Trouble | null;
}

export interface CountryGroups {
  /** Countries with a problem, most waiting users first. */
  trouble: CountryRow[];
  /** Countries without a problem, most users first. */
  underWay: CountryRow[];
  done: CountryRow[];
}

/** Groups countries by whether they have a problem, are under way, or are done. */
export function groupCountries(countries: readonly CountryCounts[], markOf: MarkOf): CountryGroups {
  const high = Math.max(highFailedShare, timesAsMany * failedShareOf(countries));
  const rows = countries.map((country) => rowOf(country, markOf, high)).toSorted(bySize);
  const isDone = ({ steps }: CountryRow) => steps.every(({ pending }) => pending <= 0);
  const fine = rows.filter(({ trouble }) => trouble === null);
  return {
    trouble: rows.filter(({ trouble }) => trouble !== null).toSorted(byTrouble),
    underWay: fine.filter((row) => !isDone(row)),
    done: fine.filter(isDone),
  };
}

function rowOf(country: CountryCounts, markOf: MarkOf, high: number): CountryRow {
  const audience = audienceOf(country);
  const stops = country.steps.find(({ step }) => markOf(country.country, step) === 'waits');
  const failedShare = failedShareOf([country]);
  // A step in which no user was served needs attention, whatever the share of failed users in other countries.
  const isLost = country.steps.some(({ step }) => markOf(country.country, step) === 'failed');
  const isTrouble = stops !== undefined || isLost || failedShare >= high;
  return { ...country, audience, trouble: isTrouble ? { waiting: stops?.pending ?? 0, failedShare } : null };
}

function audienceOf({ steps }: CountryCounts): number {
  return Math.max(0, ...steps.map((line) => line.audience));
}

function failedShareOf(countries: readonly CountryCounts[]): number {
  const users = countries.reduce((sum, country) => sum + audienceOf(country), 0);
  const failed = countries.flatMap(({ steps }) => steps).reduce((sum, line) => sum + line.failed + line.unknown, 0);
  return users === 0 ? 0 : failed / users;
}

function bySize(a: CountryRow, b: CountryRow): number {
  return b.audience - a.audience || a.country.localeCompare(b.country);
}

function byTrouble(a: CountryRow, b: CountryRow): number {
  const [first, second] = [a.trouble, b.trouble];
  if (!first || !second) return 0;
  return second.waiting - first.waiting || second.failedShare - first.failedShare;
}

/** Adds up the figures of several countries. Returns one line per step. */
export function sumOfCountries(countries: readonly CountryCounts[], steps: readonly StepCounts[]): StepCounts[] {
  return steps.map(({ step, action }) => {
    const lines = countries.flatMap((country) => country.steps.filter((line) => line.step === step));
    const sum = (of: keyof OutcomeCounts | 'audience') => lines.reduce((all, line) => all + line[of], 0);
    const counts = Object.fromEntries(outcomeOrder.map((outcome) => [outcome, sum(outcome)]));
    return { step, action, audience: sum('audience'), ...noOutcomes, ...counts };
  });
}

const noOutcomes: OutcomeCounts = {
  succeeded: 0,
  failed: 0,
  skipped: 0,
  suppressed: 0,
  heldOut: 0,
  expired: 0,
  cancelled: 0,
  unknown: 0,
  pending: 0,
};

const named = 5;

/** Lists country codes, such as `ID PH TH MY SG, 25 more`. */
export function formatCountryCodes(countries: readonly CountryCounts[]): string {
  const codes = countries.slice(0, named).map(({ country }) => country);
  const others = countries.length - codes.length;
  return others > 0 ? `${codes.join(' ')}, ${others} more` : codes.join(' ');
}
