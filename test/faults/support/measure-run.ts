import type { Ledger, StepEffects } from '../../../services/sandbox/ledger/ledger.ts';
import type { Evidence } from '../../support/evidence.ts';
import type { ScenarioFigures } from './figures.ts';
import type { Injection } from './injections.ts';

/** A run's figures, from the ledger of the called services and the harness's record of what it broke. */
export function measureRun(
  ledger: Ledger,
  runId: string,
  evidence: Evidence,
  injections: readonly Injection[],
): Omit<ScenarioFigures, 'rows' | 'scenario' | 'faults' | 'violations' | 'measured'> {
  const steps = evidence.effects.map((_, index) => ledger.of(runId, index + 1));
  const keys = steps.flatMap((step) => [...step.keys.values()]);
  const lines = [...evidence.lines.values()].flat();
  const repeats = keys.reduce((sum, { at }) => sum + at.length - 1, 0);
  const pending = lines.reduce((sum, line) => sum + line.pending, 0);
  return {
    batches: keys.length,
    users: lines.reduce((sum, line) => sum + line.audience - line.pending, 0),
    lost: pending,
    doubled: evidence.effects.reduce(
      (sum, byUser) => sum + [...byUser.values()].filter((times) => times > 1).length,
      0,
    ),
    duplicatesSuppressed: steps.reduce((sum, { repeated }) => sum + repeated, 0),
    unknown: lines.reduce((sum, line) => sum + line.unknown, 0),
    redeliveriesPer1000: keys.length === 0 ? 0 : (1000 * repeats) / keys.length,
    recoverySeconds: recoveryOf(keys.map(({ at }) => at.map((time) => Date.parse(time)))),
    usersPerSecond: throughputOf(steps, injections),
  };
}

/**
 * Returns the seconds from `startedAt` until this share (0 to 1) of the run's effects in its last step had happened.
 */
export function servedWithin(ledger: Ledger, runId: string, step: number, startedAt: string, share: number): number {
  const times = [...ledger.of(runId, step).keys.values()]
    .flatMap(({ at }) => at.slice(0, 1))
    .map((at) => Date.parse(at));
  return (quantile(times, share) - Date.parse(startedAt)) / 1000;
}

/** Returns the longest recovery in seconds, over all steps of the run. */
export function slowestRepeat(ledger: Ledger, runId: string): number {
  const steps = ledger.steps.filter(({ run }) => run === runId);
  const calls = steps.flatMap(({ keys }) => [...keys.values()].map(({ at }) => at.map((time) => Date.parse(time))));
  return recoveryOf(calls)?.max ?? 0;
}

/** Returns the highest rate of batches per second, over all steps, in any window of `windowMs` between two moments. */
export function bestRate(ledger: Ledger, runId: string, fromMs: number, toMs: number, windowMs: number): number {
  const times = ledger.steps
    .filter(({ run }) => run === runId)
    .flatMap(({ keys }) => [...keys.values()].map(({ at: [first = ''] }) => Date.parse(first)));
  let best = 0;
  for (let start = fromMs; start + windowMs <= toMs; start += 1000) {
    best = Math.max(best, times.filter((time) => time >= start && time < start + windowMs).length);
  }
  return (1000 * best) / windowMs;
}

function recoveryOf(calls: readonly number[][]): ScenarioFigures['recoverySeconds'] {
  const gaps = calls.flatMap((times) => times.slice(1).map((time, index) => (time - (times[index] ?? time)) / 1000));
  if (gaps.length === 0) return null;
  return { p50: quantile(gaps, 0.5), p95: quantile(gaps, 0.95), max: quantile(gaps, 1) };
}

function throughputOf(
  steps: readonly StepEffects[],
  injections: readonly Injection[],
): ScenarioFigures['usersPerSecond'] {
  const effects = steps.flatMap((step) =>
    [...step.keys.values()].map(({ at: [first = ''], users }) => ({ atMs: Date.parse(first), users })),
  );
  const firstMs = Math.min(...effects.map(({ atMs }) => atMs));
  const lastMs = Math.max(...effects.map(({ atMs }) => atMs));
  const brokenMs = Math.min(...injections.map(({ fromMs }) => fromMs), lastMs);
  const healedMs = Math.max(...injections.map(({ untilMs, fromMs }) => untilMs ?? fromMs), brokenMs);
  const rate = (fromMs: number, toMs: number) => {
    const users = effects.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).reduce((sum, one) => sum + one.users, 0);
    return toMs - fromMs < 500 ? null : (users * 1000) / (toMs - fromMs);
  };
  return { before: rate(firstMs, brokenMs), during: rate(brokenMs, healedMs), after: rate(healedMs, lastMs + 1) };
}

/** @returns NaN of nothing */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
