import type { RunProgress } from '#client/types.gen.ts';
import type { CountryMark, MarkOf, StepCounts, StepWait, WaitOf } from '../../../parts/step-table/step-lines.ts';

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

export function computeRunFigures({ audience, steps }: Pick<RunProgress, 'audience' | 'steps'>): RunFigures {
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

type MarkedRun = Pick<RunProgress, 'audience' | 'waits' | 'countries' | 'state'>;

/**
 * Computes the marks of all countries and steps once, and returns a function that looks them up. There may be hundreds
 * of marks, and each update of the progress needs them.
 */
export function createMarkLookup({ audience, waits, countries }: MarkedRun): MarkOf {
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
 * Returns the mark of an ended step. The rule is the same by which a run counts as completed with failures. Expired and
 * cancelled users make a step `partly` done.
 */
function endMark({ succeeded, failed, unknown, cancelled, expired }: StepCounts): CountryMark {
  const hasFailed = failed + unknown > 0;
  if (succeeded === 0) return hasFailed ? 'failed' : 'nobody';
  return hasFailed || cancelled + expired > 0 ? 'partly' : 'done';
}

/**
 * Returns a function that looks up the most serious wait of a step in a country. A wait is more serious if it lasts
 * longer without a person's help; released batches, for example, are retried automatically.
 */
export function createWaitLookup({ waits }: Pick<RunProgress, 'waits'>): WaitOf {
  const mostSerious = new Map<string, { grade: number; wait: StepWait }>();
  for (const each of waits) {
    const key = keyOf(each.country, each.step);
    const grade = grades.findIndex(({ isMet }) => isMet(each));
    const found = grades[grade];
    if (!found || (mostSerious.get(key)?.grade ?? Infinity) <= grade) continue;
    const { words, isStopped } = found;
    mostSerious.set(key, { grade, wait: { step: each.step, words, isStopped } });
  }
  return (country, step) => mostSerious.get(keyOf(country, step))?.wait ?? null;
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

/**
 * Returns the countries in which no step waits, but work remains. While the audience is still being fed, every country
 * without a wait counts, because it may receive more users.
 */
export function findMovingCountries({ waits, countries, audience }: MarkedRun): string[] {
  const waiting = new Set(waits.map(({ country }) => country));
  return countries
    .filter(
      ({ country, steps }) => !waiting.has(country) && (!audience.complete || steps.some(({ pending }) => pending > 0)),
    )
    .map(({ country }) => country);
}
