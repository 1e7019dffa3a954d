import type { RunProgress } from '#client/types.gen.ts';
import { progress } from './live-run.ts';

type StepLine = RunProgress['steps'][number];

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Returns the progress of a live run in which no user waits. Default: 40 countries and 5 steps. */
export function progressOf({ countries = 40, steps = 5 } = {}): RunProgress {
  const lines = (users: number): StepLine[] =>
    Array.from({ length: steps }, (_, index) => ({
      step: index + 1,
      action: `action-${index + 1}`,
      audience: users,
      succeeded: users / 2,
      failed: 1,
      skipped: 0,
      suppressed: 0,
      heldOut: 0,
      expired: 0,
      cancelled: 0,
      unknown: 0,
      pending: users / 2 - 1,
    }));
  const codes = Array.from(
    { length: countries },
    (_, index) => `${alphabet[Math.floor(index / 26)]}${alphabet[index % 26]}`,
  );
  return {
    ...progress,
    audience: { estimated: null, counted: 1000 * countries, excluded: 0, complete: true },
    steps: lines(1000 * countries),
    countries: codes.map((country) => ({ country, audience: 1000, excluded: 0, steps: lines(1000) })),
  };
}

/** Returns the progress after one more user of a country has completed a step. */
export function withOneMore(before: RunProgress, country: string, step: number): RunProgress {
  const counted = (line: StepLine) =>
    line.step === step ? { ...line, succeeded: line.succeeded + 1, pending: line.pending - 1 } : line;
  return {
    ...before,
    steps: before.steps.map(counted),
    countries: before.countries.map((each) =>
      each.country === country ? { ...each, steps: each.steps.map(counted) } : each,
    ),
  };
}
