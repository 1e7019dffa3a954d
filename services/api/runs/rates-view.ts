import type { RunRates } from '../../../shared/contracts/runs/run-history.ts';
import { pointGapMs } from '../../../shared/domain/run/run-points.ts';
import type { RunPoints } from './run-reports.port.ts';

/** Points farther apart than this many gaps have a time between them that was not noted. */
const isLateAfterGaps = 2;

/** The mean between two points, at both ends where there is nothing between them: what is not known is flat. */
export function runRatesView({ startedAt, endedAt, points }: RunPoints): RunRates {
  const last = points.at(-1);
  if (!startedAt || !last) return { notedSince: null, points: [] };
  const lateMs = isLateAfterGaps * pointGapMs((endedAt ?? last.at).getTime() - startedAt.getTime());
  const shown: RunRates['points'] = [];
  // When the run started nothing had ended: that much is known of the time before.
  let base = { at: startedAt, ended: 0 };
  for (const point of points) {
    const tookMs = point.at.getTime() - base.at.getTime();
    if (tookMs <= 0) continue;
    const usersPerSecond = Math.round((Math.max(0, point.ended - base.ended) * 10_000) / tookMs) / 10;
    const isFlat = shown.length === 0 || tookMs > lateMs;
    if (isFlat) shown.push({ at: new Date(base.at.getTime() + 1).toISOString(), usersPerSecond });
    shown.push({ at: point.at.toISOString(), usersPerSecond });
    base = point;
  }
  const [first] = points;
  const isLate = first !== undefined && first.at.getTime() - startedAt.getTime() > lateMs;
  return { notedSince: isLate ? first.at.toISOString() : null, points: shown };
}
