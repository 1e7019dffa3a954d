import type { RunProgress } from '#client/types.gen.ts';
import type { CountryMark } from '../../parts/step-table/step-lines.ts';

/** The five numbers that a live run begins with. All counts in users. */
export interface RunFigures {
  /** Succeeded at the last step. */
  through: number;
  /** Failed at one of the steps. */
  failed: number;
  /** What both are shares of: everybody who is expected, or who came so far where nobody knows how many will. */
  of: number;
  /** `of` is an estimate: the audience is not fed to its end. */
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

/** How many users wait half-way: they have a step and not yet the one behind it. */
export function waitingUsers({ steps }: Pick<RunProgress, 'steps'>): { untouched: number; halfWay: number } {
  const untouched = steps[0]?.pending ?? 0;
  const pending = steps.at(-1)?.pending ?? 0;
  return { untouched, halfWay: Math.max(0, pending - untouched) };
}

type Marked = Pick<RunProgress, 'audience' | 'waits' | 'countries' | 'state'>;

/** Beside a country in a step: all of it has ended, or a part of it waits for something. */
export function countryMark({ audience, waits, countries }: Marked, country: string, step: number): CountryMark | null {
  if (waits.some((wait) => wait.country === country && wait.step === step)) return 'waits';
  const line = countries.find((each) => each.country === country)?.steps.find((each) => each.step === step);
  const isDone = audience.complete && line !== undefined && line.audience > 0 && line.pending === 0;
  return isDone ? 'done' : null;
}

/** Countries in which nothing waits, while something does in others: at a pace, users are yet to come to each. */
export function movingCountries({ waits, countries, audience }: Marked): string[] {
  const waiting = new Set(waits.map(({ country }) => country));
  return countries
    .filter(
      ({ country, steps }) => !waiting.has(country) && (!audience.complete || steps.some(({ pending }) => pending > 0)),
    )
    .map(({ country }) => country);
}
