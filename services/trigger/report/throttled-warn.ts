import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';

const everyMs = 60_000;
const maxRemembered = 1000;

/**
 * Logs a warning at most once per minute for each message and cause, with the number of occurrences since the last one.
 * If a service is unavailable, the log gets one line per minute, and not one for each feed that waits for the service.
 */
export type ThrottledWarn = (message: string, cause: string, facts: object) => void;

export function createThrottledWarn({ clock, logger }: { clock: Clock; logger: Logger }): ThrottledWarn {
  const warnings = new Map<string, { atMs: number; skipped: number }>();
  return (message, cause, facts) => {
    const key = `${message}/${cause}`;
    const last = warnings.get(key);
    if (last && clock.monotonicMs() - last.atMs < everyMs) {
      last.skipped++;
      return;
    }
    logger.warn({ ...facts, cause, times: (last?.skipped ?? 0) + 1 }, message);
    if (warnings.size >= maxRemembered) warnings.clear();
    warnings.set(key, { atMs: clock.monotonicMs(), skipped: 0 });
  };
}
