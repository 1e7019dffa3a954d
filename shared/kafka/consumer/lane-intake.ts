import type { EachBatchPayload } from 'kafkajs';
import type { Lane, LaneMessage, LaneReceiver } from '../../ports/message-bus.ts';
import type { GroupClient } from './group-client.ts';
import type { Delivery, Lanes } from './lanes.ts';
import type { Fetching } from './steer-cluster.ts';

/**
 * Held back over all lanes, at most this and one answer (1 MiB) of each broker: then nothing is fetched until half of
 * it is given out.
 */
const maxHeldBytes = 8 * 1024 * 1024;

/**
 * While messages come or are in work, a little is gathered, which was measured to halve the load of both sides against
 * an answer for every message. With nothing in work the first message is answered at once, and the broker asked seldom:
 * every question names every partition.
 */
const gatheredBytes = 4_096;
/** Of a receiver that has enough to do: a fetch costs both sides what some twenty references do. */
const crowdedFetching: Fetching = { minBytes: 65_536, maxWaitTime: 20 };
const usualIdleMs = 5_000;
const idleAfterMs = 250;

export interface LaneIntakeDeps {
  lanes: Lanes;
  client: () => GroupClient | undefined;
  /** The topics subscribed to. */
  topics: () => readonly string[];
  /** For how long at most. */
  gatherMs: number;
  /** The same while nothing is in work. */
  idleMs?: number | undefined;
  tell: (about: (to: LaneReceiver) => void) => void;
  /** The receiver has enough to do. */
  isCrowded: () => boolean;
  monotonicMs: () => number;
}

/** From fetches to lanes to the receiver: what is held back, when fetching pauses, and when it goes on. */
export interface LaneIntake {
  takeBatch(payload: Pick<EachBatchPayload, 'batch' | 'resolveOffset'>): Promise<void>;
  settle(message: LaneMessage): void;
  /** These partitions in place of those so far. */
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

  /** Without partitions named, those that are assigned later are paused too. */
  function pauseAll(): void {
    client()?.pause(topics().map((topic) => ({ topic })));
  }

  function resumeAll(): void {
    client()?.resume(topics().map((topic) => ({ topic })));
    const full = lanes.view().filter((view) => view.full);
    client()?.pause(full.map(({ lane: { topic, partition } }) => ({ topic, partitions: [partition] })));
  }

  /** Not within `settle`: its caller does not expect to be given messages there. */
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
      // The next fetch goes on behind these messages; only the watermark is ever committed.
      payload.resolveOffset(batch.lastOffset());
      if (taken.ended) revoke([taken.ended]);
      // Before the messages are delivered, as settling them may resume the lane.
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
      // kafkajs remembers over a rebalance which partitions were paused.
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
