import type { ClientLoad } from '../../sdk/generated/types.gen.ts';
import type { View } from '../show/paint.ts';
import { count } from '../show/numbers.ts';
import { left, renderItems, right } from '../show/tables.ts';

type Limits = Pick<ClientLoad, 'callsPerSecond' | 'maxCallsPerSecond' | 'underWay' | 'maxUnderWay'>;
type Lately = Pick<ClientLoad, 'lastTenMinutes'>;

export function renderLoad(load: ClientLoad, view: View): string {
  const { due, lagMs, sidelined, estimated, endpoints, dispatchers } = load;
  const about = estimated ? 'at least ' : '';
  const aside = sidelined === 0 ? '' : `, ${count(sidelined)} sidelined`;
  const lag = due === 0 ? '' : `, the oldest for ${seconds(lagMs)}`;
  const facts = `  ${about}${count(due)} due${lag}${aside}; ${rateOf(load)} calls/s over the last minute, ${load.lastTenMinutes.callsPerSecond} over ten, ${atOnceOf(load)} at once`;
  const byEndpoint = renderItems(
    endpoints,
    [
      left('endpoint', ({ endpoint }) => endpoint),
      right('due', ({ due: own }) => own),
      right('lag', ({ due: own, lagMs: ownMs }) => (own === 0 ? '' : seconds(ownMs))),
      right('sidelined', ({ sidelined: own }) => (own === 0 ? '' : own)),
      right('calls/s', rateOf),
      right('at once', atOnceOf),
      right('p95', slowestOf),
    ],
    view,
  );
  const byDispatcher =
    dispatchers.length === 0
      ? '  no dispatcher takes jobs now\n'
      : renderItems(
          dispatchers,
          [
            left('dispatcher', ({ dispatcher }) => dispatcher),
            left('region', ({ region }) => region),
            right('calls/s', ({ callsPerSecond }) => String(callsPerSecond)),
            right('under way', ({ underWay, maxUnderWay }) =>
              maxUnderWay === null ? count(underWay) : `${count(underWay)} of ${count(maxUnderWay)}`,
            ),
            right('credit', ({ credit }) => credit),
          ],
          view,
        );
  return `${facts}\n\n${byEndpoint}\n${byDispatcher}`;
}

function rateOf({ callsPerSecond, maxCallsPerSecond }: Limits): string {
  return maxCallsPerSecond === null ? String(callsPerSecond) : `${callsPerSecond} of ${count(maxCallsPerSecond)}`;
}

function atOnceOf({ underWay, maxUnderWay }: Limits): string {
  return `${count(underWay)} of ${count(maxUnderWay)}`;
}

/** Formats the upper bound of the p95's histogram bucket: `<= 250 ms`. */
function slowestOf({ lastTenMinutes: { calls, p95AtMostMs } }: Lately): string {
  if (p95AtMostMs !== null) return `<= ${count(p95AtMostMs)} ms`;
  return calls === 0 ? '' : '> 60,000 ms';
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${count(Math.round(ms / 1000))} s`;
}
