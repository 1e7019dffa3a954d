import type { Column } from '../../parts/data-table/columns.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';
import { formatLag, formatP95, readHostWaitMs } from './client-figures.ts';
import type { EndpointLine, EndpointLoad } from './endpoint-load.ts';

/**
 * Returns columns for backlog, lag, calls and latency. Cells are empty while the load is unknown.
 * @param behindAfterMs lag in milliseconds above which an endpoint is late
 * @param nowMs current time of the page
 */
export function createLoadColumns(behindAfterMs: number, nowMs: number): readonly Column<Pick<EndpointLine, 'load'>>[] {
  const toneOf = (load: EndpointLoad) => {
    const hostMs = readHostWaitMs(load, nowMs);
    return Math.max(hostMs ?? 0, load.lagMs) > behindAfterMs ? 'c-bad' : hostMs === null ? '' : 'c-warn';
  };
  return [
    {
      header: 'Backlog',
      align: 'right',
      width: 'w-20',
      hideBelow: 'phone',
      look: ({ load }) => load && (load.due + load.sidelined === 0 ? 'z' : 'font-semibold'),
      cell: ({ load }) => load && formatCount(load.due + load.sidelined),
    },
    {
      header: 'Lag',
      align: 'right',
      width: 'w-22 phone:w-25',
      look: ({ load }) => load && `whitespace-nowrap ${toneOf(load)}`,
      cell: ({ load }) => {
        if (!load) return null;
        const hostMs = readHostWaitMs(load, nowMs);
        return hostMs === null ? formatLag(load.lagMs) : formatDuration(hostMs);
      },
    },
    {
      header: 'Calls/s',
      align: 'right',
      width: 'w-24',
      hideBelow: 'phone',
      look: 'whitespace-nowrap',
      cell: ({ load }) =>
        load && (
          <>
            {formatRate(load.callsPerSecond)}{' '}
            <span className="t3">
              {load.maxCallsPerSecond === null ? 'no limit' : `of ${formatCount(load.maxCallsPerSecond)}`}
            </span>
          </>
        ),
    },
    {
      header: 'At once',
      align: 'right',
      width: 'w-20',
      hideBelow: 'phone',
      look: 'whitespace-nowrap',
      cell: ({ load }) =>
        load && (
          <>
            {formatCount(load.underWay)} <span className="t3">of {formatCount(load.maxUnderWay)}</span>
          </>
        ),
    },
    {
      header: 'p95',
      hint: '95 % of the calls in the last ten minutes took at most this long',
      align: 'right',
      width: 'w-22',
      hideBelow: 'phone',
      look: 'whitespace-nowrap',
      cell: ({ load }) => load && formatP95(load.lastTenMinutes),
    },
  ];
}
