import { useMinute } from '../browser/now.ts';
import { isZone } from '../when/zoned-times.ts';
import { useRemembered } from '../browser/remembered.ts';
import { formatTime, formatZone } from './times.ts';
import { zonesToChoose } from './zone-choice.ts';

export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

let installationZone: string | undefined;

/** Stores the installation's time zone, the default of all times. */
export function rememberInstallationZone(zone: string): void {
  installationZone = zone;
}

export interface Zone {
  /** IANA name of the zone in which the console shows times. */
  zone: string;
  /** Name and offset, such as `Asia/Singapore (UTC+8)`. */
  label: string;
  /** Switches to the next of the `usual` zones. */
  toggle: () => void;
  usual: readonly string[];
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

/** Returns a function that formats instants in the chosen zone: `10:46`, `Fri 27 Nov, 00:00`. */
export function useFormatTime(): (
  instant: string | Date,
  style?: { withSeconds?: boolean; withDay?: boolean },
) => string {
  const { zone } = useZone();
  const minute = useMinute();
  return (instant, style) => formatTime(instant, { zone, now: new Date(minute), ...style });
}
