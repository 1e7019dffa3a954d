import { hash } from 'node:crypto';

/**
 * How long after its instant a schedule fires for a group, so that not everything of nine o'clock falls on one second.
 * Always the same for one schedule and group.
 *
 * @param spreadMs exclusive bound; 0: at the instant
 * @returns 0 to `spreadMs` - 1, in whole milliseconds
 */
export function spreadDelayMs(scheduleId: string, group: string, spreadMs: number): number {
  if (spreadMs <= 0) return 0;
  const share = Number.parseInt(hash('sha256', `${scheduleId}\u0000${group}`, 'hex').slice(0, 12), 16) / 2 ** 48;
  return Math.floor(share * spreadMs);
}
