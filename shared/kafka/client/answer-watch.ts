import type { Clock } from '../../ports/clock.ts';
import { isUnreachable } from './unreachable.ts';

/** Watch of requests of one kind to the brokers: measures the time since one of them was last answered. */
export interface AnswerWatch {
  /** Makes a request. @param mayTakeMs time that the broker may hold the request by its terms */
  during<Answer>(request: () => Promise<Answer>, mayTakeMs?: number): Promise<Answer>;
  /** Returns the milliseconds for which answers are overdue; 0 while requests are answered or there are none. */
  unansweredMs(): number;
}

/** Milliseconds without a further request after which a failure is forgotten: no answer is due any more. */
const forgottenAfterMs = 30_000;

export function createAnswerWatch(clock: Pick<Clock, 'monotonicMs'>): AnswerWatch {
  let underWay = 0;
  /** Time by which the first unanswered request was due an answer; undefined while all are answered. */
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
        // A refusal by the broker, or a request that was given up, does not count as missing answer.
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

/** Milliseconds without an answer that are too long: after the loss of a leader, brokers need seconds. */
export const unansweredTooLongMs = 10_000;
