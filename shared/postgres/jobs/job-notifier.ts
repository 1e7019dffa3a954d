import type { Pool } from 'pg';
import type { Clock } from '../../ports/clock.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { notifyChange } from '../connection/change-feed.ts';

/** Schedulers look two seconds ahead, every two seconds: jobs that fall due later than this need no notification. */
const seenInTimeMs = 3000;
/**
 * Milliseconds without a further notification. Notified schedulers keep looking for twice as long, so jobs stored
 * meanwhile need none.
 */
const minNotifyIntervalMs = 250;

/** Wakes schedulers for jobs that fall due before they would look. */
export interface JobNotifier {
  /** Reports committed jobs, the first of which falls due in `dueInMs`. Waits for nothing and never throws. */
  committed(dueInMs: number): void;
}

/**
 * Sends notifications in statements of their own, a few a second. PostgreSQL commits transactions that notify one at a
 * time, so statements that store jobs would wait for each other (docs/decisions/0071-what-little-work-costs.md).
 */
export function createJobNotifier({ tell: notify, clock }: { tell: () => Promise<void>; clock: Clock }): JobNotifier {
  let silentUntilMs = -Infinity;
  return {
    committed: (dueInMs) => {
      const nowMs = clock.monotonicMs();
      if (dueInMs > seenInTimeMs || nowMs < silentUntilMs) return;
      silentUntilMs = nowMs + minNotifyIntervalMs;
      notify().catch(() => {
        silentUntilMs = -Infinity;
      });
    },
  };
}

export function jobNotifierOn(pool: Pool): JobNotifier {
  return createJobNotifier({ tell: () => notifyChange('jobs', pool), clock: systemClock });
}
