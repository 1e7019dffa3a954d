import type { ClientForecast } from '#client/types.gen.ts';
import { useCurrentMinute } from '../../parts/browser/now.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { useFormatTime } from '../../parts/times/zone.ts';
import { joinWords } from '../../parts/words/figures.ts';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';
import { findBusiestMinutes, type HourLoad } from './client-figures.ts';

interface ForecastPanelProps {
  forecast: ClientForecast | undefined;
  error: unknown;
}

export function ForecastPanel({ forecast, error }: ForecastPanelProps) {
  const minute = useCurrentMinute();
  const formatTime = useFormatTime();
  const load = forecast ? findBusiestMinutes(forecast, minute) : [];
  const limit = forecast?.publishRatePerSecond ?? null;
  const full = load.filter(({ isFull }) => isFull);
  return (
    <Panel
      title="Forecast"
      note={`busiest minute of each hour, due calls/s${forecast?.estimated === true ? ', estimated' : ''}`}
      actions={
        <>
          <span className="key">
            <i className="o-suppressed" />
            within the limit
          </span>
          <span className="key">
            <i className="o-failed" />
            delayed
          </span>
        </>
      }
      footer={
        forecast &&
        (limit === null
          ? 'No rate limit. Retries and future jobs of schedules are not included.'
          : full.length === 0
            ? `No minute exceeds ${formatRate(limit)}/s. Retries and future jobs of schedules are not included.`
            : describeOverload(full, limit, formatTime))
      }
    >
      {forecast ? (
        <Bars load={load} limit={limit} />
      ) : error !== null ? (
        <Failed title="The forecast could not be read" error={error} />
      ) : (
        <div className="h-40" aria-hidden="true" />
      )}
    </Panel>
  );
}

function describeOverload(full: readonly HourLoad[], limit: number, format: (instant: string) => string): string {
  const [worst] = full.toSorted((a, b) => b.calls - a.calls);
  const hours = joinWords(full.map(({ hour }) => format(hour)));
  const takesMs = ((worst?.calls ?? 0) / limit) * 1000;
  return (
    `Above ${formatRate(limit)}/s in the ${full.length === 1 ? 'hour' : 'hours'} of ${hours}: the busiest minute has ${formatCount(worst?.calls ?? 0)} ` +
    `jobs and needs ${formatDuration(takesMs)}, so the last one is about ${formatDuration(takesMs - 60_000)} late. ` +
    'Other clients are not affected.'
  );
}

const height = 110;
/** Smallest rate per second that is shown as a number. */
const leastNamed = 0.1;
/** Height in pixels of the hour labels and the panel's edge. */
const belowBars = 28;

function Bars({ load, limit }: { load: readonly HourLoad[]; limit: number | null }) {
  const formatTime = useFormatTime();
  const most = Math.max(limit ?? 0, ...load.map(({ callsPerSecond }) => callsPerSecond), 0.1) * 1.15;
  const px = (perSecond: number) => Math.round((perSecond / most) * height);
  const words = load
    .filter(({ calls }) => calls > 0)
    .map(({ hour, callsPerSecond }) => `${formatTime(hour)}: ${formatRate(callsPerSecond)}`);
  return (
    <div
      className="relative px-4 pt-6 pb-2 phone:px-2"
      role="img"
      aria-label={`Calls per second in the busiest minute of each hour. ${words.length === 0 ? 'Nothing is due' : words.join(', ')}`}
    >
      <div className="flex items-end gap-2 border-b border-line phone:gap-0.5" style={{ height }}>
        {load.map(({ hour, callsPerSecond, isFull }) => {
          const within = limit === null ? callsPerSecond : Math.min(callsPerSecond, limit);
          return (
            <div key={hour} className="flex-1 flex flex-col justify-end min-w-0">
              {callsPerSecond >= leastNamed && (
                <span className={`sm text-center ${isFull ? 'c-bad font-semibold' : 't3 wide'}`}>
                  {formatRate(callsPerSecond)}
                </span>
              )}
              {callsPerSecond > within && (
                <i className="block o-failed" style={{ height: px(callsPerSecond - within) }} />
              )}
              <i className="block o-suppressed" style={{ height: callsPerSecond > 0 ? Math.max(2, px(within)) : 0 }} />
            </div>
          );
        })}
      </div>
      {limit !== null && (
        <div
          className="absolute inset-x-4 text-right phone:inset-x-2"
          style={{ bottom: px(limit) + belowBars, borderTop: '1px dashed var(--line-2)', height: 0 }}
        >
          <span className="xs t2 bg-surface px-1 relative -top-2.5">limit</span>
        </div>
      )}
      <div className="flex gap-2 h-5 items-end xs t3 phone:gap-0.5">
        {load.map(({ hour }, index) => (
          <span key={hour} className="flex-1 flex justify-center min-w-0 whitespace-nowrap">
            {index % 2 === 0 ? formatTime(hour).split(', ').at(-1) : ''}
          </span>
        ))}
      </div>
    </div>
  );
}
