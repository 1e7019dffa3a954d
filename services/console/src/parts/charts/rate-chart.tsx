import { useFormatTime } from '../times/zone.ts';
import { RateLine, type RateLineProps } from './rate-line.tsx';

interface RateChartProps extends RateLineProps {
  /**
   * Time from which rates are recorded. For the time before, only the mean is known. Null if all rates are recorded.
   */
  recordedSince: string | null;
}

export function RateChart({ series, marks, recordedSince }: RateChartProps) {
  const formatTime = useFormatTime();
  return (
    <div className="pr-3 pl-1.5 pt-2 pb-1.5">
      <RateLine series={series} marks={marks} />
      {recordedSince !== null && (
        <p className="sm t3 pr-0 pl-2.5 py-1">
          Recorded since {formatTime(recordedSince)}. Before that, only the mean is known.
        </p>
      )}
    </div>
  );
}
