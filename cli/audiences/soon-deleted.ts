import { utcDay } from '../show/times.ts';

const soonMs = 3 * 86_400_000;

/** Warns about lists that are deleted within three days. */
export function soonDeleted(lists: readonly { id: string; expiresAt: string | null }[], now: Date): string[] {
  return lists.flatMap(({ id, expiresAt }) =>
    expiresAt !== null && Date.parse(expiresAt) - now.getTime() <= soonMs
      ? [`${id} is deleted on ${utcDay(expiresAt)}: start a campaign with it, or save an audience of it, to keep it`]
      : [],
  );
}
