import { useCurrentMinute } from '../browser/now.ts';
import { isZone } from './zoned-times.ts';
import { useStoredSetting } from '../browser/stored-setting.ts';
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
  /** Switches to the next zone in `usual`. */
  toggle: () => void;
  usual: readonly string[];
  choose: (zone: string) => void;
}

export function useZone(): Zone {
  const [remembered, remember] = useStoredSetting('zone');
  const minute = useCurrentMinute();
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
  const minute = useCurrentMinute();
  return (instant, style) => formatTime(instant, { zone, now: new Date(minute), ...style });
}
