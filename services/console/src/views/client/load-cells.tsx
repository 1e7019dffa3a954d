import { useNow } from '../../parts/browser/now.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';
import { lagWords, slowestWords, waitsForHostMs } from './client-figures.ts';
import type { EndpointLoad } from './endpoint-load.ts';

interface LoadCellsProps {
  /** Undefined while it is not known. */
  load: EndpointLoad | undefined;
  /** A lag beyond it is too long. */
  behindAfterMs: number;
}

/** What waits for an endpoint and since when, what it is called of what it may be, and how long that takes. */
export function LoadCells({ load, behindAfterMs }: LoadCellsProps) {
  const now = useNow();
  if (!load) {
    return (
      <>
        <td className="wide" />
        <td />
        <td className="wide" />
        <td className="wide" />
        <td className="wide" />
      </>
    );
  }
  const { due, sidelined, lagMs, callsPerSecond, maxCallsPerSecond, underWay, maxUnderWay, lastTenMinutes } = load;
  const hostMs = waitsForHostMs(load, now);
  const isBehind = Math.max(hostMs ?? 0, lagMs) > behindAfterMs;
  const tone = isBehind ? 'c-bad' : hostMs === null ? '' : 'c-warn';
  return (
    <>
      <td className={`text-right wide ${due + sidelined === 0 ? 'z' : 'font-semibold'}`}>
        {formatCount(due + sidelined)}
      </td>
      <td className={`text-right whitespace-nowrap ${tone}`}>
        {hostMs === null ? lagWords(lagMs) : formatDuration(hostMs)}
      </td>
      <td className="text-right whitespace-nowrap wide">
        {formatRate(callsPerSecond)}{' '}
        <span className="t3">{maxCallsPerSecond === null ? 'no limit' : `of ${formatCount(maxCallsPerSecond)}`}</span>
      </td>
      <td className="text-right whitespace-nowrap wide">
        {formatCount(underWay)} <span className="t3">of {formatCount(maxUnderWay)}</span>
      </td>
      <td className="text-right whitespace-nowrap wide">{slowestWords(lastTenMinutes)}</td>
    </>
  );
}
