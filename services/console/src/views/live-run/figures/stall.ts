import type { RunProgress } from '#client/types.gen.ts';
import { figuresOf, type FormattedFigures } from '../../../parts/money/amounts.ts';
import { joinWords, formatSentence } from '../../../parts/words/figures.ts';
import { countOf, formatCount } from '../../../parts/words/numbers.ts';
import { findMovingCountries } from './run-figures.ts';
import { causeWithoutPlace, quotedTitleOf } from '../../../parts/words/action-titles.ts';

export interface Stall {
  /** Text of the badge: `VN waits`. */
  badge: string;
  /** Sentence such as `VN waits for “Give a reward”.` */
  symptom: string;
  cause: string;
  /** Start of the wait as an ISO time; null if unknown. */
  since: string | null;
  /** Consequence for users, and the countries that continue meanwhile. */
  meanwhile: string;
  /** Description of what a person can do next, from the API. */
  nextStep: string;
  /** Step and country that wait; null if the whole run waits. */
  place: StalledPlace | null;
  shard: { action: string; country: string } | null;
  /** Country with too small a budget; null if the cause is another. */
  shortBudgetCountry: string | null;
  /** Time of the open breaker's next attempt; null if no breaker is open. */
  breaker: { nextTryAt: string | null } | null;
}

export interface StalledPlace {
  country: string;
  step: number;
  action: string;
  /** Number of users; null if only the number of batches is known. */
  users: number | null;
}

type WatchedRun = Pick<
  RunProgress,
  'state' | 'stalled' | 'stall' | 'waits' | 'waitingSince' | 'countries' | 'audience' | 'budgets'
>;

/** Returns every wait of a running run. Empty if no step waits, or if a person paused the run. */
export function findStalls(progress: WatchedRun): Stall[] {
  if (progress.state !== 'running' && progress.state !== 'preparing') return [];
  const { waits, stalled, stall, waitingSince } = progress;
  if (waits.length > 0) {
    const byPlace = Map.groupBy(waits, ({ country, step }) => `${country} ${step}`);
    return [...byPlace.values()].flatMap((of) => describeWaits(of, progress));
  }
  if (stalled === null) return [];
  return [
    {
      badge: 'Waits',
      symptom: progress.state === 'preparing' ? 'The run waits before it starts.' : 'The run waits.',
      cause: formatSentence(stalled),
      since: waitingSince,
      meanwhile: 'No user is affected: the run continues automatically when the cause is gone.',
      nextStep: stall?.nextStep ?? '',
      place: null,
      shard: null,
      shortBudgetCountry: null,
      breaker: null,
    },
  ];
}

const maxNamed = 5;

type Wait = RunProgress['waits'][number];

/**
 * Merges the waits of a step in a country into one. A step may have two waits for the same cause: first its batches
 * were released, and later the step was held.
 */
function describeWaits(of: readonly Wait[], progress: WatchedRun): Stall[] {
  // A fault that a person can fix precedes quiet hours, which end by themselves.
  const quietRank = ({ blockedBy }: Wait) => Number(blockedBy === 'quiet-hours');
  const sorted = of.toSorted((a, b) => quietRank(a) - quietRank(b) || a.since.localeCompare(b.since));
  const [oldest] = sorted;
  if (!oldest) return [];
  const { step, action, country, since } = oldest;
  const causes = [...new Set(sorted.map(({ cause }) => causeWithoutPlace(cause, oldest)))];
  const pending = progress.countries
    .find((each) => each.country === country)
    ?.steps.find((line) => line.step === step)?.pending;
  const batches = of.reduce((sum, wait) => sum + wait.batches, 0);
  const users = pending === undefined ? countOf(batches, 'batch', 'batches') : countOf(pending, 'user');
  const moving = findMovingCountries(progress);
  const movingText = moving.length > maxNamed ? `${formatCount(moving.length)} others` : joinWords(moving);
  const movingClause = moving.length === 0 ? '' : `; ${movingText} ${moving.length === 1 ? 'continues' : 'continue'}`;
  const waiting = `${users} ${pending === 1 ? 'waits and uses' : 'wait and use'} no attempts${movingClause}.`;
  const actionable = of.find(({ held }) => held) ?? of.find(({ blockedBy }) => blockedBy === 'no-worker') ?? oldest;
  const { nextStep } = actionable;
  const breaker = of.find(({ blockedBy }) => blockedBy === 'breaker') ?? null;
  const place = { country, step, action, users: pending ?? null };
  if (oldest.by === 'budget')
    return [describeBudgetWait(country, { since, meanwhile: waiting, nextStep, place }, progress)];
  return [
    {
      badge: `${country} waits`,
      symptom: `${country} waits for ${quotedTitleOf(action)}.`,
      cause: causes.map(formatSentence).join(' '),
      since,
      meanwhile: waiting,
      nextStep,
      place,
      shard: { action, country },
      shortBudgetCountry: null,
      breaker: breaker && { nextTryAt: breaker.nextTryAt },
    },
  ];
}

/** Returns the wait for a budget, which ends when a person raises it, or another call releases units. */
function describeBudgetWait(
  country: string,
  details: Pick<Stall, 'since' | 'meanwhile' | 'nextStep' | 'place'>,
  { budgets }: WatchedRun,
): Stall {
  const budget = budgets.find((each) => each.country === country);
  const cause = budget ? describeRemaining(figuresOf(budget)) : '';
  return {
    badge: `${country}: budget used up`,
    symptom: `${country} has used up its budget.`,
    cause,
    ...details,
    shard: null,
    shortBudgetCountry: country,
    breaker: null,
  };
}

function describeRemaining({ left, all, unit }: FormattedFigures): string {
  const words = `${left.number < 0 ? '0' : left.text} of ${all.text} ${unit}`;
  return unit === 'units'
    ? `${words} are left, too few for the waiting batches.`
    : `${words} is left, too little for the waiting batches.`;
}

/** Returns the text of the badge: `VN waits`, `2 shards wait`. */
export function formatStallBadge(stalls: readonly Stall[]): string | null {
  const [first, ...others] = stalls;
  if (!first) return null;
  return others.length === 0 ? first.badge : `${formatCount(stalls.length)} shards wait`;
}
