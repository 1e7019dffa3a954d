import type { ScenarioFigures } from '../faults/support/figures.ts';

/**
 * Returns the runs of a soak as one line of the table of faults. Recovery is the median of the runs, and the longest of
 * all.
 */
export function totalsOf(scenario: string, runs: readonly ScenarioFigures[]): ScenarioFigures {
  const sum = (read: (one: ScenarioFigures) => number) => runs.reduce((total, one) => total + read(one), 0);
  const faults: Record<string, number> = {};
  for (const one of runs) {
    for (const [fault, count] of Object.entries(one.faults)) faults[fault] = (faults[fault] ?? 0) + count;
  }
  const batches = sum((one) => one.batches);
  const recoveries = runs.flatMap(({ recoverySeconds }) => recoverySeconds ?? []);
  const rates = (when: 'before' | 'during' | 'after') =>
    runs.flatMap(({ usersPerSecond }) => usersPerSecond[when] ?? []);
  return {
    rows: 'soak',
    scenario,
    faults,
    batches,
    users: sum((one) => one.users),
    lost: sum((one) => one.lost),
    doubled: sum((one) => one.doubled),
    duplicatesSuppressed: sum((one) => one.duplicatesSuppressed),
    unknown: sum((one) => one.unknown),
    redeliveriesPer1000: batches === 0 ? 0 : sum((one) => one.redeliveriesPer1000 * one.batches) / batches,
    recoverySeconds:
      recoveries.length === 0
        ? null
        : {
            p50: middleOf(recoveries.map(({ p50 }) => p50)) ?? 0,
            p95: middleOf(recoveries.map(({ p95 }) => p95)) ?? 0,
            max: Math.max(...recoveries.map(({ max }) => max)),
          },
    usersPerSecond: {
      before: middleOf(rates('before')),
      during: middleOf(rates('during')),
      after: middleOf(rates('after')),
    },
    violations: sum((one) => one.violations),
    measured: { runs: runs.length },
  };
}

function middleOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}
