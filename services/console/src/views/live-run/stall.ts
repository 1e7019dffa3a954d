import type { RunProgress } from '#client/types.gen.ts';
import { figuresOf, type ShownFigures } from '../../parts/money/budget-words.ts';
import { listed, sentence } from '../../parts/words/figures.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { movingCountries } from './run-figures.ts';
import { causeWithoutPlace, quotedTitleOf } from '../../parts/words/action-titles.ts';

export interface Stall {
  /** Text of the badge: `VN waits`. */
  badge: string;
  /** Sentence such as `VN waits for “Give a reward”.` */
  symptom: string;
  cause: string;
  /** Start of the wait as an ISO time; null if unknown. */
  since: string | null;
  /** Consequence for users, and the countries that go on. */
  meanwhile: string;
  /** Next step, as the API describes it. */
  nextStep: string;
  /** Part that waits; null if the whole run waits. */
  place: StalledPlace | null;
  shard: { action: string; country: string } | null;
  /** Country with too small a budget; null if the cause is another. */
  shortIn: string | null;
  /** Open breaker with its next attempt; null if none is open. */
  breaker: { nextTryAt: string | null } | null;
}

export interface StalledPlace {
  country: string;
  step: number;
  action: string;
  /** Null if only the number of batches is known. */
  users: number | null;
}

type Watched = Pick<
  RunProgress,
  'state' | 'stalled' | 'stall' | 'waits' | 'waitingSince' | 'countries' | 'audience' | 'budgets'
>;

/**
 * Returns every wait of a running run, the oldest first. Empty while everything moves, or if a person paused the run.
 */
export function stallsOf(progress: Watched): Stall[] {
  if (progress.state !== 'running' && progress.state !== 'preparing') return [];
  const { waits, stalled, stall, waitingSince } = progress;
  if (waits.length > 0) {
    const byPlace = Map.groupBy(waits, ({ country, step }) => `${country} ${step}`);
    return [...byPlace.values()].flatMap((of) => ofWaits(of, progress));
  }
  if (stalled === null) return [];
  return [
    {
      badge: 'Waits',
      symptom: progress.state === 'preparing' ? 'The run waits before it begins.' : 'The run waits.',
      cause: sentence(stalled),
      since: waitingSince,
      meanwhile: 'Nobody loses anything by it: it goes on by itself as soon as this is over.',
      nextStep: stall?.nextStep ?? '',
      place: null,
      shard: null,
      shortIn: null,
      breaker: null,
    },
  ];
}

const mostNamed = 5;

type Wait = RunProgress['waits'][number];

/**
 * Returns the wait of a step in a country. The step may wait in two ways for the same cause: its batches were released,
 * and then it was held.
 */
function ofWaits(of: readonly Wait[], progress: Watched): Stall[] {
  // A fault that a person can fix precedes quiet hours, which end by themselves.
  const isQuiet = ({ blockedBy }: Wait) => Number(blockedBy === 'quiet-hours');
  const sorted = of.toSorted((a, b) => isQuiet(a) - isQuiet(b) || a.since.localeCompare(b.since));
  const [oldest] = sorted;
  if (!oldest) return [];
  const { step, action, country, since } = oldest;
  const causes = [...new Set(sorted.map(({ cause }) => causeWithoutPlace(cause, oldest)))];
  const pending = progress.countries
    .find((each) => each.country === country)
    ?.steps.find((line) => line.step === step)?.pending;
  const batches = of.reduce((sum, wait) => sum + wait.batches, 0);
  const users = pending === undefined ? countOf(batches, 'batch', 'batches') : countOf(pending, 'user');
  const moving = movingCountries(progress);
  const named = moving.length > mostNamed ? `${formatCount(moving.length)} others` : listed(moving);
  const goesOn = moving.length === 0 ? '' : `; ${named} ${moving.length === 1 ? 'goes' : 'go'} on`;
  const waiting = `${users} ${pending === 1 ? 'waits and loses' : 'wait and lose'} no attempts${goesOn}.`;
  const needy = of.find(({ held }) => held) ?? of.find(({ blockedBy }) => blockedBy === 'no-worker') ?? oldest;
  const { nextStep } = needy;
  const breaker = of.find(({ blockedBy }) => blockedBy === 'breaker') ?? null;
  const place = { country, step, action, users: pending ?? null };
  if (oldest.by === 'budget') return [shortOf(country, { since, meanwhile: waiting, nextStep, place }, progress)];
  return [
    {
      badge: `${country} waits`,
      symptom: `${country} waits for ${quotedTitleOf(action)}.`,
      cause: causes.map(sentence).join(' '),
      since,
      meanwhile: waiting,
      nextStep,
      place,
      shard: { action, country },
      shortIn: null,
      breaker: breaker && { nextTryAt: breaker.nextTryAt },
    },
  ];
}

/** Returns the wait for a budget, which ends when a person raises it, or another call releases units. */
function shortOf(
  country: string,
  said: Pick<Stall, 'since' | 'meanwhile' | 'nextStep' | 'place'>,
  { budgets }: Watched,
): Stall {
  const budget = budgets.find((each) => each.country === country);
  const cause = budget ? leftWords(figuresOf(budget)) : '';
  return {
    ...{ badge: `${country}: budget used up`, symptom: `${country} has used up its budget.`, cause },
    ...{ ...said, shard: null, shortIn: country, breaker: null },
  };
}

function leftWords({ left, all, unit }: ShownFigures): string {
  const words = `${left.number < 0 ? '0' : left.text} of ${all.text} ${unit}`;
  return unit === 'units'
    ? `${words} are left, too few for what waits.`
    : `${words} is left, too little for what waits.`;
}

/** Returns the text of the badge: `VN waits`, `2 parts wait`. */
export function stallBadge(stalls: readonly Stall[]): string | null {
  const [first, ...others] = stalls;
  if (!first) return null;
  return others.length === 0 ? first.badge : `${formatCount(stalls.length)} parts wait`;
}
