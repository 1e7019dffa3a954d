import { useFormatTime } from '../../parts/times/zone.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import type { Load } from './expected-load.ts';
import { NowLine } from './lane.tsx';
import { placeIn, type Week } from './week.ts';
import { quotedTitleOf, titleOf } from '../../parts/words/action-titles.ts';

interface LoadRowProps {
  load: Load;
  action: string;
  week: Week;
  nowMs: number;
}

const height = 84;
const headroom = 1.15;

/** Users per second by hour: bars, the capacity as a dashed line, and the excess in red. */
export function LoadRow({ load, action, week, nowMs }: LoadRowProps) {
  const formatTime = useFormatTime();
  const { hours, capacity, peak, clashes } = load;
  const limit = capacity?.usersPerSecond;
  const top = Math.max(peak, limit ?? 0, 1) * headroom;
  const y = (rate: number) => height - (rate / top) * height;
  const [worst] = clashes;
  const summary =
    peak === 0
      ? 'The load is unknown.'
      : `At most ${formatCount(Math.round(peak))} users per second${worst ? `, above the capacity from ${formatTime(new Date(worst.fromMs))}` : ''}.`;
  return (
    <div className="cal-row">
      <div className="cal-who">
        <div className="font-medium">Expected load</div>
        <div className="t3 sm">{titleOf(action)}, users/s</div>
        {limit !== undefined && (
          <div className="t3 sm mt-3.5">
            line: {formatCount(Math.round(limit))},{' '}
            {capacity?.by === 'limit' ? 'its limit' : 'the fastest run of the last 14 days'}
          </div>
        )}
      </div>
      <div className="cal-load" role="img" aria-label={`Expected load of ${quotedTitleOf(action)}. ${summary}`}>
        <svg viewBox={`0 0 1000 ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {hours.map(({ fromMs, usersPerSecond, isPast }) => {
            if (usersPerSecond <= 0) return null;
            const x = placeIn(week, fromMs) * 10;
            const width = Math.max(1, 1000 / hours.length - 0.8);
            const over = limit !== undefined && usersPerSecond > limit && !isPast ? limit : undefined;
            const from = y(usersPerSecond);
            return (
              <g key={fromMs}>
                <rect x={x} y={from} width={width} height={height - from} className={isPast ? 'past' : 'to-come'} />
                {over !== undefined && <rect x={x} y={from} width={width} height={y(over) - from} className="over" />}
              </g>
            );
          })}
          {limit !== undefined && (
            <line x1="0" x2="1000" y1={y(limit)} y2={y(limit)} vectorEffect="non-scaling-stroke" className="limit" />
          )}
        </svg>
        <NowLine week={week} nowMs={nowMs} />
        {peak > 0 && <span className="cal-peak xs t2">peak {formatCount(Math.round(peak))}</span>}
      </div>
    </div>
  );
}
