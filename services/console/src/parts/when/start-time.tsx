import type { Campaign } from '#client/types.gen.ts';
import { useCurrentMinute } from '../browser/now.ts';
import { Time } from '../times/time.tsx';
import { formatLocalStart } from './local-start.ts';

interface StartTimeProps {
  instant: string;
  schedule: Campaign['schedule'];
}

/** Time of a start: a wall-clock time if each country starts by its own clocks, else an instant. */
export function StartTime({ instant, schedule }: StartTimeProps) {
  const now = new Date(useCurrentMinute());
  if (schedule.type !== 'local') return <Time instant={instant} />;
  return (
    <time dateTime={instant} title={`First at ${instant}`}>
      {formatLocalStart(schedule.time, now)} in each country
    </time>
  );
}
