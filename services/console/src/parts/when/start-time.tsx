import type { Campaign } from '#client/types.gen.ts';
import { useMinute } from '../browser/now.ts';
import { Time } from '../times/time.tsx';
import { localStart } from './local-start.ts';

interface StartTimeProps {
  instant: string;
  schedule: Campaign['schedule'];
}

/** Time of a start: a wall-clock time if each country starts by its own clocks, else an instant. */
export function StartTime({ instant, schedule }: StartTimeProps) {
  const now = new Date(useMinute());
  if (schedule.type !== 'local') return <Time instant={instant} />;
  return (
    <time dateTime={instant} title={`First at ${instant}`}>
      {localStart(schedule.time, now)} in each country
    </time>
  );
}
