import type { RunRates } from '../../../shared/contracts/runs/run-history.ts';
import { pointGapMs } from '../../../shared/domain/run/run-points.ts';
import type { RunPoints } from './run-reports.port.ts';

/**
 * If the interval between two points is longer than this number of usual intervals, the time between them counts as not
 * recorded.
 */
const isLateAfterGaps = 2;

/** Returns the mean rates between points. A time without records becomes a constant rate with a point at both ends. */
export function runRatesView({ startedAt, endedAt, points }: RunPoints): RunRates {
  const last = points.at(-1);
  if (!startedAt || !last) return { notedSince: null, points: [] };
  const lateMs = isLateAfterGaps * pointGapMs((endedAt ?? last.at).getTime() - startedAt.getTime());
  const rates: RunRates['points'] = [];
  // At the start of the run, no user had ended, so the rates can begin there.
  let base = { at: startedAt, ended: 0 };
  for (const point of points) {
    const tookMs = point.at.getTime() - base.at.getTime();
    if (tookMs <= 0) continue;
    const usersPerSecond = Math.round((Math.max(0, point.ended - base.ended) * 10_000) / tookMs) / 10;
    const isFlat = rates.length === 0 || tookMs > lateMs;
    if (isFlat) rates.push({ at: new Date(base.at.getTime() + 1).toISOString(), usersPerSecond });
    rates.push({ at: point.at.toISOString(), usersPerSecond });
    base = point;
  }
  const [first] = points;
  const isLate = first !== undefined && first.at.getTime() - startedAt.getTime() > lateMs;
  return { notedSince: isLate ? first.at.toISOString() : null, points: rates };
}
