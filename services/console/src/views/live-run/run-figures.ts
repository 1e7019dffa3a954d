import type { RunProgress } from '#client/types.gen.ts';
import type { CountryMark, MarkOf, StepCounts, StepWait, WaitOf } from '../../parts/step-table/step-lines.ts';

/** Main numbers of a live run, all of them in users. */
export interface RunFigures {
  through: number;
  /** Users who failed in any step. */
  failed: number;
  /** Denominator of shares: the expected users, or those counted so far if the total is unknown. */
  of: number;
  /** True if `of` is an estimate, because the audience is not read completely. */
  isEstimated: boolean;
  pending: number;
}

export function runFigures({ audience, steps }: Pick<RunProgress, 'audience' | 'steps'>): RunFigures {
  const expected = audience.estimated === null ? 0 : audience.estimated - audience.excluded;
  const isEstimated = !audience.complete && expected > audience.counted;
  return {
    through: steps.at(-1)?.succeeded ?? 0,
    failed: steps.reduce((sum, { failed }) => sum + failed, 0),
    of: isEstimated ? expected : audience.counted,
    isEstimated,
    pending: steps.at(-1)?.pending ?? 0,
  };
}

/** Returns the users who wait: `untouched` ones have no step yet, `halfWay` ones have a step and wait for the next. */
export function waitingUsers({ steps }: Pick<RunProgress, 'steps'>): { untouched: number; halfWay: number } {
  const untouched = steps[0]?.pending ?? 0;
  const pending = steps.at(-1)?.pending ?? 0;
  return { untouched, halfWay: Math.max(0, pending - untouched) };
}

type Marked = Pick<RunProgress, 'audience' | 'waits' | 'countries' | 'state'>;

/** Returns a lookup of marks, computed once for all countries: there are hundreds, with each patch. */
export function marksOf({ audience, waits, countries }: Marked): MarkOf {
  const waiting = new Set(waits.map(({ country, step }) => keyOf(country, step)));
  const ended = new Map(
    countries.flatMap(({ country, steps }) =>
      steps
        .filter((line) => audience.complete && line.audience > 0 && line.pending === 0)
        .map((line) => [keyOf(country, line.step), endMark(line)] as const),
    ),
  );
  return (country, step) => {
    const key = keyOf(country, step);
    return waiting.has(key) ? 'waits' : (ended.get(key) ?? null);
  };
}

/**
 * Returns the mark of an ended step, by the rule that decides whether a run is completed with failures. Expired users
 * count as cut off, like cancelled ones.
 */
function endMark({ succeeded, failed, unknown, cancelled, expired }: StepCounts): CountryMark {
  const hasFailed = failed + unknown > 0;
  if (succeeded === 0) return hasFailed ? 'failed' : 'nobody';
  return hasFailed || cancelled + expired > 0 ? 'partly' : 'done';
}

/**
 * Returns the most serious wait of each step, which is the one that takes longest without a person. Released batches
 * are retried automatically.
 */
export function waitsOf({ waits }: Pick<RunProgress, 'waits'>): WaitOf {
  const gravest = new Map<string, { grade: number; wait: StepWait }>();
  for (const each of waits) {
    const key = keyOf(each.country, each.step);
    const grade = grades.findIndex(({ isMet }) => isMet(each));
    const found = grades[grade];
    if (!found || (gravest.get(key)?.grade ?? Infinity) <= grade) continue;
    const { words, isStopped } = found;
    gravest.set(key, { grade, wait: { step: each.step, words, isStopped } });
  }
  return (country, step) => gravest.get(keyOf(country, step))?.wait ?? null;
}

interface Grade {
  words: string;
  isStopped: boolean;
  isMet: (wait: RunProgress['waits'][number]) => boolean;
}

const grades: readonly Grade[] = [
  { words: 'budget used up', isStopped: true, isMet: ({ by }) => by === 'budget' },
  { words: 'held', isStopped: true, isMet: ({ held }) => held },
  { words: 'no worker', isStopped: true, isMet: ({ blockedBy }) => blockedBy === 'no-worker' },
  { words: 'breaker open', isStopped: true, isMet: ({ blockedBy }) => blockedBy === 'breaker' },
  { words: 'quiet hours', isStopped: true, isMet: ({ blockedBy }) => blockedBy === 'quiet-hours' },
  { words: 'waits', isStopped: false, isMet: () => true },
];

function keyOf(country: string, step: number): string {
  return `${country} ${step}`;
}

/** Returns countries in which no step waits while others wait. With a pace, each may still receive users. */
export function movingCountries({ waits, countries, audience }: Marked): string[] {
  const waiting = new Set(waits.map(({ country }) => country));
  return countries
    .filter(
      ({ country, steps }) => !waiting.has(country) && (!audience.complete || steps.some(({ pending }) => pending > 0)),
    )
    .map(({ country }) => country);
}
