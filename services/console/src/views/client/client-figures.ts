import type { ClientForecast, ClientLedger, ClientLoad } from '#client/types.gen.ts';
import type { Kpi } from '../../parts/panels/kpis.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';

type Minute = ClientForecast['minutes'][number];

const minuteMs = 60_000;

export interface ClientKpi extends Omit<Kpi, 'note'> {
  note: string;
  /** True if the number links to the dead jobs. */
  link?: boolean;
}

export function createClientKpis(ledger: ClientLedger, load: ClientLoad | undefined, nowMs: number): ClientKpi[] {
  return [
    ...(load ? loadKpis(load, nowMs) : ['Lag', 'Backlog', 'Called, last minute', 'Calls at once'].map(unknownYet)),
    {
      name: 'Dead',
      value: formatCount(ledger.dead),
      note: `of ${formatCount(ledger.accepted)}`,
      link: ledger.dead > 0,
    },
  ];
}

const unknownYet = (name: string): ClientKpi => ({ name, value: '…', note: '' });

function loadKpis(load: ClientLoad, nowMs: number): ClientKpi[] {
  const { due, sidelined, estimated, callsPerSecond, maxCallsPerSecond, underWay, maxUnderWay, dispatchers } = load;
  const lately = `${formatRate(load.lastTenMinutes.callsPerSecond)} over 10 min`;
  const credit = dispatchers.reduce((sum, each) => sum + each.credit, 0);
  const waiting = [
    ...(due > 0 ? [`${formatCount(due)} due`] : []),
    ...(sidelined > 0 ? [`${formatCount(sidelined)} sidelined`] : []),
  ];
  return [
    lagKpi(load, nowMs),
    {
      name: 'Backlog',
      value: formatCount(due + sidelined),
      unit: 'jobs',
      note: waiting.length === 0 ? 'due and not called' : `${estimated ? 'at least ' : ''}${waiting.join(', ')}`,
    },
    {
      name: 'Called, last minute',
      value: formatRate(callsPerSecond),
      unit: 'calls/s',
      note: `${maxCallsPerSecond === null ? 'without a limit' : `of ${formatCount(maxCallsPerSecond)} allowed`} · ${lately}`,
    },
    {
      name: 'Calls at once',
      value: formatCount(underWay),
      unit: `of ${formatCount(maxUnderWay)}`,
      note: dispatchers.length === 0 ? 'no dispatcher takes jobs' : `credit for ${formatCount(credit)} more jobs`,
    },
  ];
}

/** Returns the longest wait of the client's jobs: either for a sidelined host, or of jobs that are due. */
function lagKpi({ endpoints, lagMs, estimated, behindAfterMs }: ClientLoad, nowMs: number): ClientKpi {
  const hostWaits = endpoints.flatMap((each) => {
    const ms = readHostWaitMs(each, nowMs);
    return ms === null ? [] : [{ endpoint: each.endpoint, ms }];
  });
  const longest = hostWaits.toSorted((a, b) => b.ms - a.ms)[0];
  const inTime = endpoints.length === 1 ? 'due jobs' : 'other jobs';
  if (longest && longest.ms > lagMs) {
    return {
      name: 'Lag',
      ...largeAndSmall(formatDuration(longest.ms)),
      isBad: longest.ms > behindAfterMs,
      note: `${longest.endpoint}, sidelined · ${inTime} ${formatLag(lagMs)}`,
    };
  }
  const late = endpoints.toSorted((a, b) => b.lagMs - a.lagMs)[0];
  const endpointPrefix = endpoints.length > 1 && late && late.lagMs > 0 ? `${late.endpoint}, ` : '';
  return {
    name: 'Lag',
    ...largeAndSmall(formatLag(lagMs)),
    isBad: lagMs > behindAfterMs,
    note: `${endpointPrefix}${lagMs === 0 ? 'nothing is due' : `${estimated ? 'at least, ' : ''}oldest due job`}`,
  };
}

/** Splits `18 min 16 s`, so that the smaller unit is shown in small type. */
function largeAndSmall(duration: string): Pick<ClientKpi, 'value' | 'unit'> {
  const [number = '', unit = '', ...rest] = duration.split(' ');
  return rest.length === 0 ? { value: duration } : { value: `${number} ${unit}`, unit: rest.join(' ') };
}

/**
 * Returns the time that sidelined jobs of an endpoint have waited for their host, in milliseconds. Null if no jobs are
 * sidelined.
 */
export function readHostWaitMs(
  { circuitOpenSince, sidelined }: Pick<ClientLoad['endpoints'][number], 'circuitOpenSince' | 'sidelined'>,
  nowMs: number,
): number | null {
  return circuitOpenSince === null || sidelined === 0 ? null : Math.max(0, nowMs - Date.parse(circuitOpenSince));
}

/** Returns a text such as `≤ 250 ms`: only the upper bound of the histogram's bucket is known. */
export function formatP95({ calls, p95AtMostMs }: ClientLoad['lastTenMinutes']): string {
  if (p95AtMostMs !== null) return `≤ ${formatCount(p95AtMostMs)} ms`;
  return calls === 0 ? '–' : '> 1 min';
}

/** Formats a lag: `0.6 s`, `18 min 16 s`. Lags below ten seconds have one decimal. */
export function formatLag(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
}

export interface HourLoad {
  hour: string;
  callsPerSecond: number;
  calls: number;
  isFull: boolean;
}

/**
 * Returns the busiest minute of each hour, including hours without jobs. @param fromMs an instant within the first hour
 */
export function findBusiestMinutes({ minutes, hours }: ClientForecast, fromMs: number): HourLoad[] {
  const first = fromMs - (fromMs % (60 * minuteMs));
  return Array.from({ length: Math.ceil(hours) }, (_, index) => {
    const begins = first + index * 60 * minuteMs;
    const inHour = minutes.filter(({ minute }) => {
      const at = Date.parse(minute);
      return at >= Math.max(begins, fromMs - minuteMs) && at < begins + 60 * minuteMs;
    });
    const busiest = inHour.reduce<Minute | null>(
      (most, each) => (most && most.calls >= each.calls ? most : each),
      null,
    );
    return {
      hour: new Date(begins).toISOString(),
      callsPerSecond: busiest?.callsPerSecond ?? 0,
      calls: busiest?.calls ?? 0,
      isFull: busiest?.full ?? false,
    };
  });
}
