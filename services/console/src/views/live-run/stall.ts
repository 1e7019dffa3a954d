import type { RunProgress } from '#client/types.gen.ts';
import { figuresOf, type ShownFigures } from '../../parts/money/budget-words.ts';
import { listed, sentence } from '../../parts/words/figures.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { movingCountries } from './run-figures.ts';
import { causeWithoutPlace, quotedTitleOf } from '../../parts/words/action-titles.ts';

/** A cause beside its symptom: what waits for what, what goes on all the same, and what to do. */
export interface Stall {
  /** On the badge: `VN waits`. */
  badge: string;
  /** `VN waits for “Give a reward”.` */
  symptom: string;
  cause: string;
  /** Since when; null where nobody knows. */
  since: string | null;
  /** What that means for users, and who goes on. */
  meanwhile: string;
  /** As the API says it. */
  nextStep: string;
  /** Who waits; null where all of the run does. */
  place: StalledPlace | null;
  /** Where to look: the shard that waits. */
  shard: { action: string; country: string } | null;
  /** The country whose budget is too small; null where it is something else. */
  shortIn: string | null;
  /** Its endpoint is left alone until then; null where that is not so. */
  breaker: { nextTryAt: string | null } | null;
}

export interface StalledPlace {
  country: string;
  step: number;
  action: string;
  /** Null where only batches are known. */
  users: number | null;
}

type Watched = Pick<
  RunProgress,
  'state' | 'stalled' | 'stall' | 'waits' | 'waitingSince' | 'countries' | 'audience' | 'budgets'
>;

/** Every stall of a run that goes on, the oldest first; none while all of it moves, or a person paused it. */
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

/** More countries than these are counted, not named. */
const mostNamed = 5;

type Wait = RunProgress['waits'][number];

/**
 * A step in a country may wait in more than one way for the same thing: its batches were put back, and then it was
 * held.
 */
function ofWaits(of: readonly Wait[], progress: Watched): Stall[] {
  // A fault that a person can mend comes before quiet hours, which end by the clock.
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

/** Nothing tries it: it waits until somebody raises the budget, or another call gives units back. */
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

/** `VN waits`, `2 parts wait`. */
export function stallBadge(stalls: readonly Stall[]): string | null {
  const [first, ...others] = stalls;
  if (!first) return null;
  return others.length === 0 ? first.badge : `${formatCount(stalls.length)} parts wait`;
}
