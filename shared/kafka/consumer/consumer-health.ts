import type { ConsumerReadiness } from '../../ports/message-bus.ts';
import { unansweredTooLongMs, type AnswerWatch } from '../client/answer-watch.ts';
import { isUnreachable } from '../client/unreachable.ts';
import type { LaneView } from './lanes.ts';
import type { PartitionOffsets } from '../cluster/offset-reader.ts';
import { createStuckLanes } from './stuck-lanes.ts';

/** Crashes in a row, without a fetch, after which a new process may recover; half a minute with the pauses. */
const crashesToGiveUp = 10;
/**
 * Milliseconds after which a lane with messages ahead, or a lost membership, is stuck. Requests time out after 15 s.
 */
const stuckAfterMs = 120_000;
/** Time without progress after which a lane makes the consumer unready. */
const unreadyAfterMs = 30_000;

/** Health of a consumer: its readiness for `/readyz`, and whether the process should end. */
export interface ConsumerHealth {
  onJoined(): void;
  onFetched(): void;
  /** Returns the milliseconds to wait before the next client is started. */
  onCrashed(error: Error): number;
  /**
   * Reports that time has passed. A timer counts the time, not the clock, so that a process that was frozen continues.
   */
  pass(ms: number): void;
  /** Compares the lanes with the offsets, every `readIntervalMs`. */
  observe(lanes: readonly LaneView[], offsets: ReadonlyMap<string, readonly PartitionOffsets[]>): void;
  ready(): ConsumerReadiness;
  /** Returns why the consumer will not recover by itself; undefined while it may. */
  broken(): Error | undefined;
}

export function createConsumerHealth({
  groupId,
  readIntervalMs,
  fetches,
}: {
  groupId: string;
  readIntervalMs: number;
  fetches: Pick<AnswerWatch, 'unansweredMs'>;
}): ConsumerHealth {
  const standing = createStuckLanes(readIntervalMs);
  let joined = false;
  let outsideMs = 0;
  let crashes = 0;
  let lastCrash: Error | undefined;

  return {
    onJoined: () => {
      joined = true;
      outsideMs = 0;
    },
    onFetched: () => {
      crashes = 0;
      lastCrash = undefined;
    },
    onCrashed: (error) => {
      joined = false;
      outsideMs = 0;
      lastCrash = error;
      // If no broker answers, another process would fare no better.
      if (!isUnreachable(error)) crashes += 1;
      return Math.min(100 * 2 ** crashes, 5_000);
    },
    pass: (ms) => {
      if (!joined) outsideMs += ms;
    },
    observe: (lanes, offsets) => standing.observe(lanes, offsets),
    ready: () => {
      if (!joined) return { ok: false, cause: `not in group ${groupId}${lastCrash ? `: ${lastCrash.message}` : ''}` };
      const unansweredMs = fetches.unansweredMs();
      if (unansweredMs >= unansweredTooLongMs) {
        return { ok: false, cause: `no broker has answered a fetch for ${Math.round(unansweredMs / 1000)} s` };
      }
      const lane = standing.longest();
      if (!lane || lane.stuckForMs < unreadyAfterMs) return { ok: true };
      return {
        ok: false,
        cause: `${lane.topic}/${lane.partition} stands still for ${lane.stuckForMs / 1000} s with ${lane.lag} messages before it`,
      };
    },
    broken: () => {
      if (crashes >= crashesToGiveUp) {
        return new Error(`the consumer of ${groupId} crashed ${crashes} times in a row without a fetch`, {
          cause: lastCrash,
        });
      }
      if (outsideMs >= stuckAfterMs) {
        return new Error(`the consumer of ${groupId} could not join it for ${stuckAfterMs / 1000} s`, {
          cause: lastCrash,
        });
      }
      const lane = standing.longest();
      if (!lane || lane.stuckForMs < stuckAfterMs) return undefined;
      return new Error(
        `${lane.topic}/${lane.partition} stands still for ${stuckAfterMs / 1000} s with ${lane.lag} messages before it`,
      );
    },
  };
}
