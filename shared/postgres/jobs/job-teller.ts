import type { Pool } from 'pg';
import type { Clock } from '../../ports/clock.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { tellOf } from '../connection/change-feed.ts';

/** Schedulers look two seconds ahead, every two seconds: what falls due later than this they see in time. */
const seenInTimeMs = 3000;
/** Schedulers that were told look on for twice as long: what is stored meanwhile need not be told. */
const silentForMs = 250;

/** Wakes schedulers for jobs that fall due before they would look. */
export interface JobTeller {
  /** Jobs were committed of which the first falls due in so long. Waits for nothing and never throws. */
  committed(dueInMs: number): void;
}

/**
 * By statements of its own, a few a second: PostgreSQL lets one transaction at a time commit that tells, so that those
 * that store jobs would wait for each other (docs/decisions/0071-what-little-work-costs.md).
 */
export function createJobTeller({ tell, clock }: { tell: () => Promise<void>; clock: Clock }): JobTeller {
  let silentUntilMs = -Infinity;
  return {
    committed: (dueInMs) => {
      const nowMs = clock.monotonicMs();
      if (dueInMs > seenInTimeMs || nowMs < silentUntilMs) return;
      silentUntilMs = nowMs + silentForMs;
      tell().catch(() => {
        silentUntilMs = -Infinity;
      });
    },
  };
}

export function jobTellerOn(pool: Pool): JobTeller {
  return createJobTeller({ tell: () => tellOf('jobs', pool), clock: systemClock });
}
