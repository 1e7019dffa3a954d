import type { EachBatchPayload } from 'kafkajs';
import type { Lane, LaneMessage, LaneReceiver } from '../../ports/message-bus.ts';
import type { GroupClient } from './group-client.ts';
import type { Delivery, Lanes } from './lanes.ts';
import type { Fetching } from './steer-cluster.ts';

/**
 * Upper bound on the bytes held back over all lanes, plus one answer (1 MiB) of each broker. Above the bound, nothing
 * is fetched until half of the bytes are delivered.
 */
const maxHeldBytes = 8 * 1024 * 1024;

/**
 * Bytes to gather while messages arrive or are in work: measured to halve the load on both sides, compared to an answer
 * for every message. With nothing in work, the broker answers the first message at once, and fetches are rare because
 * every fetch names every partition.
 */
const gatheredBytes = 4_096;
/** Fetch settings while the receiver has enough work: a fetch costs both sides as much as about twenty references. */
const crowdedFetching: Fetching = { minBytes: 65_536, maxWaitTime: 20 };
const usualIdleMs = 5_000;
const idleAfterMs = 250;

export interface LaneIntakeDeps {
  lanes: Lanes;
  client: () => GroupClient | undefined;
  topics: () => readonly string[];
  /** Longest time that a broker gathers messages, in milliseconds. */
  gatherMs: number;
  /** Longest time that a broker gathers messages while nothing is in work, in milliseconds. */
  idleMs?: number | undefined;
  tell: (about: (to: LaneReceiver) => void) => void;
  /** Returns whether the receiver has enough work. */
  isCrowded: () => boolean;
  monotonicMs: () => number;
}

/** Flow of messages from fetches through lanes to the receiver, with pauses of full lanes. */
export interface LaneIntake {
  takeBatch(payload: Pick<EachBatchPayload, 'batch' | 'resolveOffset'>): Promise<void>;
  settle(message: LaneMessage): void;
  /** Replaces the assigned partitions. */
  assign(partitionsByTopic: Readonly<Record<string, number[]>>): void;
  fetching(): Fetching;
  stop(): void;
}

export function createLaneIntake(deps: LaneIntakeDeps): LaneIntake {
  const { lanes, client, topics, gatherMs, idleMs = usualIdleMs, tell, isCrowded, monotonicMs } = deps;
  const idleFetching: Fetching = { minBytes: 1, maxWaitTime: idleMs };
  const busyFetching: Fetching = { minBytes: gatheredBytes, maxWaitTime: gatherMs };
  const wanting = new Set<Lane>();
  let stopped = false;
  let flooded = false;
  let lastTakenMs = -Infinity;

  function deliver(delivery: Delivery | undefined): void {
    if (delivery) tell((to) => to.deliver(delivery.lane, delivery.messages));
  }

  function revoke(revoked: readonly Lane[]): void {
    tell((to) => {
      for (const lane of revoked) to.revoke(lane);
    });
  }

  /** Pauses whole topics. No partitions are named, so that partitions assigned later are paused too. */
  function pauseAll(): void {
    client()?.pause(topics().map((topic) => ({ topic })));
  }

  function resumeAll(): void {
    client()?.resume(topics().map((topic) => ({ topic })));
    const full = lanes.view().filter((view) => view.full);
    client()?.pause(full.map(({ lane: { topic, partition } }) => ({ topic, partitions: [partition] })));
  }

  /**
   * Delivers messages to lanes that have room again. Runs after `settle`, because the caller of `settle` does not
   * expect deliveries during the call.
   */
  function serveWanting(): void {
    const due = [...wanting];
    wanting.clear();
    if (stopped) return;
    for (const lane of due) {
      deliver(lanes.give(lane));
      if (lanes.wantsMore(lane) && !flooded) {
        client()?.resume([{ topic: lane.topic, partitions: [lane.partition] }]);
      }
    }
    if (!flooded || lanes.heldBytes > maxHeldBytes / 2) return;
    flooded = false;
    resumeAll();
  }

  return {
    takeBatch: (payload) => {
      const { batch } = payload;
      lastTakenMs = monotonicMs();
      const taken = stopped ? undefined : lanes.take(batch.topic, batch.partition, batch.messages);
      if (!taken) return Promise.resolve();
      // The next fetch continues after these messages. Only the watermark is ever committed.
      payload.resolveOffset(batch.lastOffset());
      if (taken.ended) revoke([taken.ended]);
      // Pause before delivery, as settling the messages may resume the lane.
      if (taken.full) client()?.pause([{ topic: batch.topic, partitions: [batch.partition] }]);
      if (!flooded && lanes.heldBytes > maxHeldBytes) {
        flooded = true;
        pauseAll();
      }
      deliver(taken.delivery);
      return Promise.resolve();
    },

    settle: (message) => {
      const lane = lanes.settle(message);
      if (!lane || stopped) return;
      if (wanting.size === 0) setImmediate(serveWanting);
      wanting.add(lane);
    },

    assign: (partitionsByTopic) => {
      revoke(lanes.assign(partitionsByTopic));
      flooded = false;
      // kafkajs keeps paused partitions paused over a rebalance.
      if (stopped) pauseAll();
      else client()?.resume(topics().map((topic) => ({ topic })));
    },

    fetching: () => {
      const isIdle = lanes.open === 0 && monotonicMs() - lastTakenMs > idleAfterMs;
      if (isIdle) return idleFetching;
      return isCrowded() ? crowdedFetching : busyFetching;
    },

    stop: () => {
      if (stopped) return;
      stopped = true;
      lanes.dropHeld();
      pauseAll();
    },
  };
}
