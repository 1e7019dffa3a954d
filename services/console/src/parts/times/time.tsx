import { useFormatTime } from './zone.ts';

interface TimeProps {
  instant: string;
  withSeconds?: boolean;
  /** Also where it is today. */
  withDay?: boolean;
  className?: string;
}

/** An instant in the zone that is chosen; what it is exactly stands in its title. */
export function Time({ instant, withSeconds = false, withDay = false, className }: TimeProps) {
  const format = useFormatTime();
  return (
    <time dateTime={instant} title={instant} className={className}>
      {format(instant, { withSeconds, withDay })}
    </time>
  );
}
