import type { RunRates } from '../../sdk/generated/types.gen.ts';
import { count } from '../show/numbers.ts';
import { utcTime } from '../show/times.ts';

const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const mostCells = 100;

/**
 * Renders a run's rates as a line of bars, each the mean of its time span. The lowest bar is 0, the highest the fastest
 * span.
 * @param width cells, at most 100 of which are used
 */
export function renderRates({ points, notedSince: recordedSince }: RunRates, width: number): string {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return 'nothing was noted of it yet\n';
  const cells = cellsOf(points, Math.max(1, Math.min(mostCells, width)));
  const highest = Math.max(...cells);
  const line = cells.map((rate) => heights[barOf(rate, highest)] ?? '').join('');
  const fastest = points.reduce((best, point) => (point.usersPerSecond > best.usersPerSecond ? point : best));
  return [
    `users per second that ended a step, ${utcTime(first.at)} to ${utcTime(last.at)}`,
    line,
    `at most ${count(fastest.usersPerSecond)} at ${utcTime(fastest.at)}, at last ${count(last.usersPerSecond)}`,
    ...(recordedSince === null ? [] : [`noted since ${utcTime(recordedSince)}; before, only the mean is known`]),
    '',
  ].join('\n');
}

function barOf(rate: number, highest: number): number {
  return highest === 0 ? 0 : Math.round((rate / highest) * (heights.length - 1));
}

/**
 * Returns the mean rate of each time span, because points are irregular. A point covers the time since the previous
 * one.
 */
function cellsOf(points: RunRates['points'], cells: number): number[] {
  const times = points.map(({ at }) => Date.parse(at));
  const [fromMs = 0, untilMs = 0] = [times[0], times.at(-1)];
  const cellMs = Math.max(1, (untilMs - fromMs) / cells);
  return Array.from({ length: cells }, (_, cell) => {
    const [beginMs, endMs] = [fromMs + cell * cellMs, fromMs + (cell + 1) * cellMs];
    let users = 0;
    for (const [index, { usersPerSecond }] of points.entries()) {
      const sinceMs = Math.max(beginMs, times[index - 1] ?? fromMs);
      const shareMs = Math.max(0, Math.min(endMs, times[index] ?? fromMs) - sinceMs);
      users += usersPerSecond * shareMs;
    }
    return users / cellMs;
  });
}
