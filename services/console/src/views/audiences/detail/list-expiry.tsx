import { useCurrentMinute, useDerivedFromNow } from '../../../parts/browser/now.ts';
import { formatDay } from '../../../parts/times/times.ts';
import { useZone } from '../../../parts/times/zone.ts';

const soonMs = 3 * 86_400_000;

/**
 * Returns true if a list expires within three days. `expiresAt` is null if the list does not expire, for example
 * because something uses it.
 */
export function useExpiresSoon(expiresAt: string | null): boolean {
  return useDerivedFromNow((nowMs) => expiresAt !== null && Date.parse(expiresAt) - nowMs <= soonMs);
}

export function ListExpiry({ expiresAt }: { expiresAt: string }) {
  const { zone } = useZone();
  const now = new Date(useCurrentMinute());
  return (
    <time dateTime={expiresAt} title={expiresAt}>
      {formatDay(expiresAt, { zone, now })}
    </time>
  );
}
