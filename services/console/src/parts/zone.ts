import { useMinute } from './now.ts';
import { useRemembered } from './remembered.ts';
import { formatTime, formatZone } from './times.ts';

/** Of the person who looks. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export interface Zone {
  /** IANA name of the zone that every time is shown in. */
  zone: string;
  /** `Asia/Singapore (UTC+8)` */
  label: string;
  /** Between one's own and UTC. */
  toggle: () => void;
}

export function useZone(): Zone {
  const [remembered, remember] = useRemembered('zone');
  const minute = useMinute();
  const zone = remembered === 'UTC' ? 'UTC' : ownZone;
  return {
    zone,
    label: formatZone(zone, new Date(minute)),
    toggle: () => remember(zone === 'UTC' ? null : 'UTC'),
  };
}

/** Writes instants in the zone that is chosen: `10:46`, `Fri 27 Nov, 00:00`. */
export function useFormatTime(): (instant: string | Date, style?: { withSeconds?: boolean }) => string {
  const { zone } = useZone();
  const minute = useMinute();
  return (instant, style) => formatTime(instant, { zone, now: new Date(minute), ...style });
}
