import { useFormatTime } from '../times/zone.ts';
import { RateLine, type RateLineProps } from './rate-line.tsx';

interface RateChartProps extends RateLineProps {
  /** Start of the recorded rates; only the mean is known before. Null if all rates are recorded. */
  notedSince: string | null;
}

export function RateChart({ series, marks, notedSince }: RateChartProps) {
  const formatTime = useFormatTime();
  return (
    <div className="pr-3 pl-1.5 pt-2 pb-1.5">
      <RateLine series={series} marks={marks} />
      {notedSince !== null && (
        <p className="sm t3 pr-0 pl-2.5 py-1">Noted since {formatTime(notedSince)}; before, only the mean.</p>
      )}
    </div>
  );
}
