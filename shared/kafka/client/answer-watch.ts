import type { Clock } from '../../ports/clock.ts';
import { isUnreachable } from './unreachable.ts';

/** Requests of one kind to the brokers, and the time since one of them was last answered. */
export interface AnswerWatch {
  /** Makes a request. `mayTakeMs` is how long a broker may keep it by its terms. */
  during<Answer>(request: () => Promise<Answer>, mayTakeMs?: number): Promise<Answer>;
  /** Milliseconds for which requests were due an answer and none came; 0 while they are answered or none is made. */
  unansweredMs(): number;
}

/** A failure is forgotten if no further request follows it for this long: no answer is due any more. */
const forgottenAfterMs = 30_000;

export function createAnswerWatch(clock: Pick<Clock, 'monotonicMs'>): AnswerWatch {
  let underWay = 0;
  /** The moment by which the first request without an answer was due one; undefined while all are answered. */
  let dueMs: number | undefined;
  let endedMs = 0;

  return {
    during: async (request, mayTakeMs = 0) => {
      if (isForgotten()) dueMs = undefined;
      underWay += 1;
      dueMs ??= clock.monotonicMs() + mayTakeMs;
      try {
        const answer = await request();
        dueMs = underWay > 1 ? clock.monotonicMs() + mayTakeMs : undefined;
        return answer;
      } catch (error) {
        // An answer that refuses the request, or a request that was given up, is no silence.
        if (!isUnreachable(error) && underWay === 1) dueMs = undefined;
        throw error;
      } finally {
        underWay -= 1;
        endedMs = clock.monotonicMs();
      }
    },
    unansweredMs: () => (dueMs === undefined || isForgotten() ? 0 : Math.max(0, clock.monotonicMs() - dueMs)),
  };

  function isForgotten(): boolean {
    return underWay === 0 && clock.monotonicMs() - endedMs >= forgottenAfterMs;
  }
}

/** A broker answers within milliseconds, and after the loss of a leader within seconds. */
export const unansweredTooLongMs = 10_000;
