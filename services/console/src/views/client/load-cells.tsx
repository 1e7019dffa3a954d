import { useNow } from '../../parts/browser/now.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';
import { lagWords } from './client-figures.ts';
import type { EndpointLoad } from './endpoint-load.ts';

/** What waits for an endpoint and since when, and what it is called of what it may be. */
export function LoadCells({ load }: { load: EndpointLoad | undefined }) {
  const now = useNow();
  if (!load) {
    return (
      <>
        <td className="wide" />
        <td />
        <td className="wide" />
        <td className="wide" />
      </>
    );
  }
  const { due, sidelined, lagMs, asideSince, callsPerSecond, maxCallsPerSecond, underWay, maxUnderWay } = load;
  const waitsForHost = asideSince !== null && sidelined > 0;
  return (
    <>
      <td className="text-right wide">{formatCount(due + sidelined)}</td>
      <td className={`text-right whitespace-nowrap ${waitsForHost ? 'c-warn' : ''}`}>
        {waitsForHost ? formatDuration(Math.max(0, now - Date.parse(asideSince))) : lagWords(lagMs)}
      </td>
      <td className="text-right whitespace-nowrap wide">
        {formatRate(callsPerSecond)}{' '}
        <span className="t3">{maxCallsPerSecond === null ? 'no limit' : `of ${formatCount(maxCallsPerSecond)}`}</span>
      </td>
      <td className="text-right whitespace-nowrap wide">
        {formatCount(underWay)} <span className="t3">of {formatCount(maxUnderWay)}</span>
      </td>
    </>
  );
}
