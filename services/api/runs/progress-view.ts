import { isBudgetCause } from '../../../shared/domain/run/budgets.ts';
import { isQuietCause } from '../../../shared/domain/run/quiet-hours.ts';
import type { RunFigures, RunProgress, RunWait } from '../../../shared/contracts/runs/runs.ts';
import type { RunSnapshot, RunWaitRow } from './run-reports.port.ts';
import type { Rates } from './watch-rates.ts';
import { nextSteps, runFiguresView } from './run-view.ts';

/**
 * Returns the progress of a run.
 * @param timeoutOf returns the timeout of an action's calls in milliseconds; null if unknown
 */
export function runProgressView(
  snapshot: RunSnapshot,
  rates: Rates,
  timeoutOf: (action: string) => number | null = () => null,
): RunProgress {
  const figures = runFiguresView(snapshot);
  return {
    ...figures,
    usersPerSecond: {
      oneMinute: rounded(rates.oneMinute),
      tenMinutes: rounded(rates.tenMinutes),
      fed: rounded(rates.fed),
      through: rounded(rates.through),
    },
    inFlight: snapshot.inFlight,
    waitingForRetry: snapshot.waitingForRetry,
    eta: etaOf(figures, snapshot, rates),
    waits: snapshot.waits.map((wait) => runWaitView(wait, snapshot, timeoutOf)),
  };
}

function runWaitView(
  { step, since, nextTryAt, ...wait }: RunWaitRow,
  { chain }: RunSnapshot,
  timeoutOf: (action: string) => number | null,
): RunWait {
  const action = chain[step - 1]?.action ?? '';
  return {
    step,
    action,
    ...wait,
    since: since.toISOString(),
    nextTryAt: nextTryAt?.toISOString() ?? null,
    timeoutMs: timeoutOf(action),
    ...kindOf(wait),
  };
}

type Kind = Pick<RunWaitRow, 'cause' | 'held' | 'blockedBy'>;

function kindOf({ cause, held, blockedBy }: Kind): Pick<RunWait, 'by' | 'nextStep'> {
  if (blockedBy === 'no-worker') return { by: 'step', nextStep: nextSteps.noWorker };
  if (isBudgetCause(cause)) return { by: 'budget', nextStep: nextSteps.budget };
  if (isQuietCause(cause)) return { by: 'step', nextStep: nextSteps.quietHours };
  return { by: 'step', nextStep: held ? nextSteps.held : nextSteps.step };
}

/** Factor by which p90 assumes that the run is slower than in the last minute. */
const slowdown = 1.3;

/** Longest estimated time in milliseconds. Longer estimates are not meaningful. */
const farthestMs = 365 * 86_400_000;

/**
 * Returns the estimated end. p50 assumes the rate of the last minute. p90 assumes a slower rate, or the rate of the
 * last ten minutes if that is lower.
 */
function etaOf(
  figures: RunFigures,
  snapshot: RunSnapshot,
  { oneMinute, tenMinutes, isStill }: Rates,
): RunProgress['eta'] {
  const stops = stopsOf(snapshot);
  const remaining = remainingSteps(figures, snapshot, stops);
  if (figures.state !== 'running' || isStill || remaining === null || oneMinute <= 0) return null;
  // All remaining users wait for a person or a worker, so the end cannot be estimated.
  if (remaining === 0 && stops.size > 0) return null;
  const afterMs = (rate: number) => (remaining / rate) * 1000;
  const p50 = afterMs(oneMinute);
  const p90 = afterMs(Math.min(oneMinute / slowdown, tenMinutes > 0 ? tenMinutes : oneMinute));
  if (p90 > farthestMs) return null;
  const at = (ms: number) => new Date(snapshot.asOf.getTime() + ms).toISOString();
  return { p50: at(p50), p90: at(p90), without: [...stops.keys()].toSorted() };
}

/**
 * Returns the first step of each country in which users wait for a person, a worker or the end of quiet hours, because
 * the time at which these users continue is unknown.
 */
function stopsOf({ waits }: RunSnapshot): Map<string, number> {
  const stops = new Map<string, number>();
  for (const { country, step, held, cause, blockedBy } of waits) {
    if (held || isBudgetCause(cause) || (blockedBy !== null && blockedBy !== 'breaker'))
      stops.set(country, Math.min(step, stops.get(country) ?? step));
  }
  return stops;
}

/**
 * Returns the remaining steps of all users, including users who are not fed yet; null if the size of the audience is
 * unknown. In a country where a step waits for a person, only the steps before it count, because feeding soon stops
 * there.
 */
function remainingSteps(figures: RunFigures, { countries }: RunSnapshot, stops: Map<string, number>): number | null {
  const pending = figures.countries.flatMap(({ country, steps }) => {
    const before = stops.get(country) ?? Infinity;
    return steps.filter(({ step }) => step < before).map((line) => line.pending);
  });
  const toFeed = countries
    .filter(({ complete, country }) => !complete && !stops.has(country))
    .map(({ estimate, fedUsers, excludedUsers }) => (estimate === null ? null : estimate - fedUsers - excludedUsers));
  if (countries.length === 0 || toFeed.includes(null)) return null;
  const unfed = toFeed.reduce<number>((sum, users) => sum + Math.max(0, users ?? 0), 0);
  return pending.reduce((sum, users) => sum + users, 0) + unfed * figures.steps.length;
}

function rounded(rate: number): number {
  return Math.round(rate * 10) / 10;
}
