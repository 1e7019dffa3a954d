import { expect, it } from 'vitest';
import type { ScenarioFigures } from '../faults/support/figures.ts';
import { totalsOf } from './totals.ts';

const run: ScenarioFigures = {
  rows: 'soak',
  scenario: 'run 1',
  faults: { 'worker killed': 2, poison: 1 },
  batches: 100,
  users: 10_000,
  lost: 0,
  doubled: 0,
  duplicatesSuppressed: 30,
  unknown: 1,
  redeliveriesPer1000: 10,
  recoverySeconds: { p50: 1, p95: 5, max: 9 },
  usersPerSecond: { before: null, during: 100, after: 200 },
  violations: 0,
  measured: {},
};

it('totalsOf adds up runs, weights rates by batches and keeps the longest recovery', () => {
  const other = {
    ...run,
    faults: { poison: 2 },
    batches: 300,
    redeliveriesPer1000: 50,
    recoverySeconds: null,
    violations: 2,
  };
  expect(totalsOf('seed 7', [run, other])).toEqual({
    ...run,
    scenario: 'seed 7',
    faults: { 'worker killed': 2, poison: 3 },
    batches: 400,
    users: 20_000,
    duplicatesSuppressed: 60,
    unknown: 2,
    redeliveriesPer1000: 40,
    violations: 2,
    measured: { runs: 2 },
  });
});
