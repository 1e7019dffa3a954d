import { useFormatTime } from '../times/zone.ts';
import styles from './rate-line.module.css';
import { RateLine, type RateLineProps } from './rate-line.tsx';

interface RateChartProps extends RateLineProps {
  /** Before it, only the mean since the start is known; null where all is. */
  notedSince: string | null;
}

/** How fast a run has gone, and from when on that is known. */
export function RateChart({ series, marks, notedSince }: RateChartProps) {
  const formatTime = useFormatTime();
  return (
    <div className={styles['chart']}>
      <RateLine series={series} marks={marks} />
      {notedSince !== null && (
        <p className={`sm t3 ${styles['noted'] ?? ''}`}>Noted since {formatTime(notedSince)}; before, only the mean.</p>
      )}
    </div>
  );
}
