import type { RunFigures, RunProgress, RunWait } from '../../../shared/contracts/runs/runs.ts';
import type { RunSnapshot, RunWaitRow } from './run-reports.port.ts';
import type { Rates } from './watch-rates.ts';
import { nextSteps, runFiguresView } from './run-view.ts';

/** @param timeoutOf how long a call of an action may take, in milliseconds; null where that is unknown */
export function runProgressView(
  snapshot: RunSnapshot,
  rates: Rates,
  timeoutOf: (action: string) => number | null = () => null,
): RunProgress {
  const figures = runFiguresView(snapshot);
  return {
    ...figures,
    usersPerSecond: { oneMinute: rounded(rates.oneMinute), tenMinutes: rounded(rates.tenMinutes) },
    inFlight: snapshot.inFlight,
    waitingForRetry: snapshot.waitingForRetry,
    eta: etaOf(figures, snapshot.asOf, rates),
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
    nextStep: wait.held ? nextSteps.held : nextSteps.step,
  };
}

/** How much slower than lately a run may become without missing its p90. */
const slowdown = 1.3;

/** Beyond it an estimate says nothing but "not in this state". */
const farthestMs = 365 * 86_400_000;

/**
 * p50 at the last minute's rate; p90 at that rate slowed down, or at the last ten minutes' where that was slower still.
 */
function etaOf(figures: RunFigures, asOf: Date, { oneMinute, tenMinutes, isStill }: Rates): RunProgress['eta'] {
  const remaining = remainingSteps(figures);
  if (figures.state !== 'running' || isStill || remaining === null || oneMinute <= 0) return null;
  const afterMs = (rate: number) => (remaining / rate) * 1000;
  const p50 = afterMs(oneMinute);
  const p90 = afterMs(Math.min(oneMinute / slowdown, tenMinutes > 0 ? tenMinutes : oneMinute));
  if (p90 > farthestMs) return null;
  const at = (ms: number) => new Date(asOf.getTime() + ms).toISOString();
  return { p50: at(p50), p90: at(p90) };
}

/**
 * Steps of users that have not ended, those of users not yet fed included; null while it is unknown how many there are.
 */
function remainingSteps({ audience, steps }: RunFigures): number | null {
  const pending = steps.reduce((sum, line) => sum + line.pending, 0);
  if (audience.complete) return pending;
  if (audience.estimated === null) return null;
  return pending + Math.max(0, audience.estimated - audience.counted - audience.excluded) * steps.length;
}

function rounded(rate: number): number {
  return Math.round(rate * 10) / 10;
}
