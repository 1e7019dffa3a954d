import { useMinute, useOfNow } from '../../parts/browser/now.ts';
import { formatDay } from '../../parts/times/times.ts';
import { useZone } from '../../parts/times/zone.ts';

const soonMs = 3 * 86_400_000;

/** Returns true if a list that nothing keeps expires within three days. */
export function useIsSoon(expiresAt: string | null): boolean {
  return useOfNow((nowMs) => expiresAt !== null && Date.parse(expiresAt) - nowMs <= soonMs);
}

export function ListEnd({ expiresAt }: { expiresAt: string }) {
  const { zone } = useZone();
  const now = new Date(useMinute());
  return (
    <time dateTime={expiresAt} title={expiresAt}>
      {formatDay(expiresAt, { zone, now })}
    </time>
  );
}
