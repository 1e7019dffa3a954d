import { setTimeout as wait } from 'node:timers/promises';
import type { EachBatchPayload } from 'kafkajs';
import type { LaneReceiver, MessageConsumer } from '../ports/message-bus.ts';
import type { Logger } from '../runtime/logger.ts';
import type { KafkaConnection } from './connection.ts';
import { createLanes } from './lanes.ts';

export interface ConsumerDeps {
  kafka: KafkaConnection;
  groupId: string;
  /** By name, each existing or about to: a pattern would not see topics that are created later. */
  topics: readonly string[];
  logger: Logger;
  /**
   * How long the group waits for a member that has gone silent before its partitions go to others; brokers allow 6 s and more by default.
   * Also how long a rebalance waits for members that are alive but busy.
   */
  sessionTimeoutMs?: number;
  /** What was settled since the last commit comes again after a crash. */
  commitIntervalMs?: number;
  /** Unsettled messages from which a lane is paused; it goes on below half of it. A lane holds at most this and one fetch (8 KiB). */
  laneHighMark?: number;
  /** After how long partitions that were added are noticed. */
  metadataMaxAgeMs?: number;
  /** `dense` unless told: hundreds of messages a second, where some ten milliseconds do not matter. */
  traffic?: 'dense' | 'sparse';
}

/** A live member hears of a rebalance with its next heartbeat, so this is about how long one takes. */
const heartbeatIntervalMs = 1_000;

/**
 * The broker answers a fetch when it has `minBytes`, or after the wait. Dense traffic gathers a little, which was measured to halve the load of
 * both sides against an answer for every message; sparse traffic is answered at once, and asks seldom while there is none.
 */
const fetching = {
  dense: { minBytes: 4_096, maxWaitTimeInMs: 50 },
  sparse: { minBytes: 1, maxWaitTimeInMs: 500 },
};
/** About a thousand references of batches: what is fetched waits in memory, as objects that live long enough to burden the collector. */
const maxBytesPerPartition = 8 * 1024;

/** A client that fetches nothing, joins nothing and does not crash for this long is stuck. Requests time out after 15 s. */
const stuckAfterMs = 120_000;

const topicsAwaited = { attempts: 20, pauseMs: 500 };

export function createConsumer(deps: ConsumerDeps): MessageConsumer {
  const { kafka, groupId, topics, sessionTimeoutMs = 10_000, commitIntervalMs = 250, laneHighMark = 16 } = deps;
  const logger = deps.logger.child({ groupId });
  const lanes = createLanes({ highMark: laneHighMark, lowMark: Math.ceil(laneHighMark / 2) });
  const crashed = Promise.withResolvers<Error>();
  const joined = Promise.withResolvers<null>();
  joined.promise.catch(() => undefined);

  let receiver: LaneReceiver | undefined;
  let begun: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  let intakeStopped = false;
  let committing: Promise<void> = Promise.resolve();
  let commitUnderWay = false;
  let timer: NodeJS.Timeout | undefined;
  let silentMs = 0;

  const client = kafka.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: sessionTimeoutMs,
    heartbeatInterval: heartbeatIntervalMs,
    metadataMaxAge: deps.metadataMaxAgeMs ?? 30_000,
    allowAutoTopicCreation: false,
    maxBytesPerPartition,
    ...fetching[deps.traffic ?? 'dense'],
    retry: { retries: 5, restartOnFailure: () => Promise.resolve(stopping === undefined) },
  });

  function fail(error: Error): void {
    logger.error({ err: error }, 'consumer has died');
    crashed.resolve(error);
    joined.reject(error);
  }

  /** The receiver promises not to throw. If it does all the same, kafkajs must not hear of it: it would stop for good, and silently. */
  function tell(about: (to: LaneReceiver) => void): void {
    try {
      if (receiver) about(receiver);
    } catch (error) {
      fail(new Error('the receiver of messages threw', { cause: error }));
    }
  }

  function steer(direction: 'pause' | 'resume', what: { topic: string; partitions?: number[] }[]): void {
    try {
      client[direction](what);
    } catch (error) {
      // Between its crash and the event that tells of it, the client has no group to pause or resume.
      logger.debug({ err: error }, 'consumer is not in its group');
    }
  }

  function assign(partitionsByTopic: Readonly<Record<string, number[]>>): void {
    const revoked = lanes.assign(partitionsByTopic);
    tell((to) => {
      for (const lane of revoked) to.revoke(lane);
    });
    // kafkajs remembers over a rebalance which partitions were paused, but not over a crash.
    if (intakeStopped) pauseTopics();
    else
      steer(
        'resume',
        Object.entries(partitionsByTopic).map(([topic, partitions]) => ({ topic, partitions })),
      );
  }

  /** Without partitions named, those that are assigned later are paused too. */
  function pauseTopics(): void {
    steer(
      'pause',
      topics.map((topic) => ({ topic })),
    );
  }

  function takeBatch(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    silentMs = 0;
    const delivery = intakeStopped ? undefined : lanes.deliver(batch.topic, batch.partition, batch.messages);
    if (delivery) {
      // The next fetch goes on behind these messages; only the watermark is ever committed.
      payload.resolveOffset(batch.lastOffset());
      // Before the messages are delivered, as settling them may resume the lane.
      if (delivery.full) steer('pause', [{ topic: batch.topic, partitions: [batch.partition] }]);
      tell((to) => to.deliver(delivery.lane, delivery.messages));
    }
    return Promise.resolve();
  }

  async function commitNow(): Promise<void> {
    const due = lanes.uncommitted();
    if (due.length === 0) return;
    try {
      await client.commitOffsets(
        due.map(({ lane: { topic, partition }, offset }) => ({ topic, partition, offset: String(offset) })),
      );
      lanes.committed(due);
    } catch (error) {
      // The lanes stay uncommitted, so the next turn tries again; after a rebalance they are gone and their messages come again.
      logger.debug({ err: error, lanes: due.length }, 'could not commit offsets, trying again');
    }
  }

  function commit(): Promise<void> {
    if (!commitUnderWay) {
      commitUnderWay = true;
      committing = commitNow().finally(() => (commitUnderWay = false));
    }
    return committing;
  }

  function onTimer(): void {
    void commit();
    // Counted in turns of the timer and not by the clock: a process that was frozen should go on, not end.
    silentMs += commitIntervalMs;
    if (silentMs < stuckAfterMs) return;
    clearInterval(timer);
    fail(new Error(`the consumer of ${groupId} has fetched nothing for ${stuckAfterMs / 1000} s`));
  }

  function listen(): void {
    const { GROUP_JOIN, REBALANCING, FETCH, CRASH } = client.events;
    client.on(FETCH, () => (silentMs = 0));
    client.on(GROUP_JOIN, ({ payload }) => {
      silentMs = 0;
      assign(payload.memberAssignment);
      joined.resolve(null);
    });
    // The last moment at which the group takes offsets of the old assignment: what is committed now does not come again.
    client.on(REBALANCING, () => void commit());
    client.on(CRASH, ({ payload: { error, restart } }) => {
      silentMs = 0;
      assign({});
      if (restart) logger.warn({ err: error }, 'consumer starts anew');
      else if (stopping === undefined) fail(error);
    });
  }

  /** Services may start a moment before their topics are created. */
  async function subscribe(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.subscribe({ topics: [...topics], fromBeginning: true });
        return;
      } catch (error) {
        if (attempt === topicsAwaited.attempts || stopping) throw error;
        logger.warn({ err: error, topics }, 'cannot subscribe yet, trying again');
        await wait(topicsAwaited.pauseMs);
      }
    }
  }

  async function begin(): Promise<void> {
    listen();
    await client.connect();
    await subscribe();
    await client.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: takeBatch });
    timer = setInterval(onTimer, commitIntervalMs);
  }

  function stopIntake(): void {
    if (intakeStopped) return;
    intakeStopped = true;
    if (begun) pauseTopics();
  }

  async function leave(): Promise<void> {
    stopIntake();
    joined.reject(new Error('stopped before it had joined its group'));
    // kafkajs cannot be stopped while it joins: it would join, and nobody would know.
    await begun?.catch(() => undefined);
    clearInterval(timer);
    await committing;
    await commit();
    assign({});
    await client.disconnect();
  }

  return {
    start: async (given) => {
      if (receiver || stopping) throw new Error(`the consumer of ${groupId} can be started only once`);
      receiver = given;
      begun = begin();
      await begun;
      await joined.promise;
    },
    settle: (message) => {
      const lane = lanes.settle(message);
      if (lane && !intakeStopped) steer('resume', [{ topic: lane.topic, partitions: [lane.partition] }]);
    },
    stopIntake,
    stop: () => (stopping ??= leave()),
    crashed: crashed.promise,
  };
}
