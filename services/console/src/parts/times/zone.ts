import { useMinute } from '../browser/now.ts';
import { isZone } from '../when/zoned-times.ts';
import { useRemembered } from '../browser/remembered.ts';
import { formatTime, formatZone } from './times.ts';
import { zonesToChoose } from './zone-choice.ts';

/** Of the person who looks. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

let installationZone: string | undefined;

/** The zone that the installation shows times in, unless somebody wants another. */
export function rememberInstallationZone(zone: string): void {
  installationZone = zone;
}

export interface Zone {
  /** IANA name of the zone that every time is shown in. */
  zone: string;
  /** `Asia/Singapore (UTC+8)` */
  label: string;
  /** To the next one: the installation's, one's own, UTC. */
  toggle: () => void;
  /** Those that it goes through. */
  usual: readonly string[];
  /** Any zone that the browser knows. */
  choose: (zone: string) => void;
}

export function useZone(): Zone {
  const [remembered, remember] = useRemembered('zone');
  const minute = useMinute();
  const zones = zonesToChoose(installationZone, ownZone);
  const zone = remembered !== null && isZone(remembered) ? remembered : (zones[0] ?? 'UTC');
  return {
    zone,
    label: formatZone(zone, new Date(minute)),
    usual: zones,
    choose: remember,
    toggle: () => remember(zones[(zones.indexOf(zone) + 1) % zones.length] ?? null),
  };
}

/** Writes instants in the zone that is chosen: `10:46`, `Fri 27 Nov, 00:00`. */
export function useFormatTime(): (
  instant: string | Date,
  style?: { withSeconds?: boolean; withDay?: boolean },
) => string {
  const { zone } = useZone();
  const minute = useMinute();
  return (instant, style) => formatTime(instant, { zone, now: new Date(minute), ...style });
}
