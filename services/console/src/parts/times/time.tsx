import { useFormatTime } from './zone.ts';

interface TimeProps {
  instant: string;
  withSeconds?: boolean;
  /** True if the day is shown even if it is today. */
  withDay?: boolean;
  className?: string;
}

/** An instant in the chosen time zone. Its title has the exact time. */
export function Time({ instant, withSeconds = false, withDay = false, className }: TimeProps) {
  const format = useFormatTime();
  return (
    <time dateTime={instant} title={instant} className={className}>
      {format(instant, { withSeconds, withDay })}
    </time>
  );
}
