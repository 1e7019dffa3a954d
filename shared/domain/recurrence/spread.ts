import { hash } from 'node:crypto';

/**
 * Returns the delay after an instant at which a schedule fires for a group, so that not all schedules of nine o'clock
 * fire in the same second. The delay is constant for a schedule and a group.
 *
 * @param spreadMs exclusive bound; 0: no delay
 * @returns 0 to `spreadMs` - 1, in whole milliseconds
 */
export function spreadDelayMs(scheduleId: string, group: string, spreadMs: number): number {
  if (spreadMs <= 0) return 0;
  const share = Number.parseInt(hash('sha256', `${scheduleId}\u0000${group}`, 'hex').slice(0, 12), 16) / 2 ** 48;
  return Math.floor(share * spreadMs);
}
