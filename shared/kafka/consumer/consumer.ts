import type { Clock } from '../../ports/clock.ts';
import type { LaneReceiver, MessageConsumer, TopicSpec, TopicStats } from '../../ports/message-bus.ts';
import type { Logger } from '../../runtime/logger.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createConsumerHealth } from './consumer-health.ts';
import { createGroupClient, type GroupClient } from './group-client.ts';
import { createLaneIntake } from './lane-intake.ts';
import { createLanes } from './lanes.ts';
import { createOffsetLook, type PartitionOffsets } from '../cluster/offset-look.ts';
import { createTopicKeeper } from '../cluster/topic-keeper.ts';
import { statsOf } from './topic-stats.ts';

export interface ConsumerDeps {
  kafka: KafkaConnection;
  groupId: string;
  /** Created when they are missing, at start and whenever they are found to be gone. */
  topics: readonly TopicSpec[];
  logger: Logger;
  /**
   * How long the group waits for a member that has gone silent before its partitions go to others; brokers allow 6 s
   * and more by default. Also how long a rebalance waits for members that are alive but busy.
   */
  sessionTimeoutMs?: number;
  /** What was settled since the last commit comes again after a crash. */
  commitIntervalMs?: number;
  /** Unsettled messages that a lane has at most; it gets more below half of it. */
  laneHighMark?: number;
  fetch?: FetchTerms;
  /** After how long partitions that were added are noticed. */
  metadataMaxAgeMs?: number;
  clock?: Pick<Clock, 'monotonicMs' | 'sleep'>;
}

export interface FetchTerms {
  /**
   * How long a broker may gather messages while they come: it is lag where they are few, and load of both sides where
   * it is short.
   */
  gatherMs: number;
  /**
   * Of one answer. Much is read ahead quickly, and waits in memory, as objects that live long enough to burden the
   * collector.
   */
  maxBytesPerPartition: number;
}

/** About a thousand references of batches. */
const defaultFetch: FetchTerms = { gatherMs: 50, maxBytesPerPartition: 8 * 1024 };

/**
 * Fairness between feeds is the receiver's, so a lane has to show it what waits: behind a few messages of a large run
 * in a slow step, a small one's would wait on the topic for as long as all of the backlog takes.
 */
const defaultHighMark = 512;
/** Between two looks for topics that are missing. */
const keepTopicsMs = 1_000;
/** Between two looks at where the lanes stand against the ends of their partitions. */
const lookIntervalMs = 10_000;

/**
 * One consumer for all topics of a service. It outlives its kafkajs clients: where one crashes or the topics change,
 * the next takes its place in the group.
 */
export function createConsumer(deps: ConsumerDeps): MessageConsumer {
  const { kafka, groupId, sessionTimeoutMs = 10_000, commitIntervalMs = 250, laneHighMark = defaultHighMark } = deps;
  const { fetch = defaultFetch, metadataMaxAgeMs = 30_000, clock = systemClock } = deps;
  const logger = deps.logger.child({ groupId });
  const lanes = createLanes({ highMark: laneHighMark, lowMark: Math.ceil(laneHighMark / 2) });
  const health = createConsumerHealth({ groupId, lookIntervalMs });
  const keeper = createTopicKeeper({ kafka, specs: deps.topics, clock, logger });
  const offsetLook = createOffsetLook({ kafka, groupId });
  const crashed = Promise.withResolvers<Error>();
  const stopping = new AbortController();

  let topics = deps.topics.map(({ topic }) => topic);
  let receiver: LaneReceiver | undefined;
  let client: GroupClient | undefined;
  let joined = Promise.withResolvers<null>();
  joined.promise.catch(() => undefined);
  /** Clients come and go one after another. */
  let turn: Promise<void> = Promise.resolve();
  let committing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sinceKeepMs = 0;
  let sinceLookMs = 0;
  let offsets: ReadonlyMap<string, readonly PartitionOffsets[]> = new Map();
  let stopped: Promise<void> | undefined;

  const intake = createLaneIntake({
    lanes,
    client: () => client,
    topics: () => topics,
    gatherMs: fetch.gatherMs,
    tell,
    monotonicMs: () => clock.monotonicMs(),
  });

  function fail(error: Error): void {
    clearInterval(timer);
    logger.error({ err: error }, 'consumer has died');
    crashed.resolve(error);
    joined.reject(error);
  }

  /**
   * The receiver promises not to throw. If it does all the same, kafkajs must not hear of it: it would stop for good,
   * and silently.
   */
  function tell(about: (to: LaneReceiver) => void): void {
    try {
      if (receiver) about(receiver);
    } catch (error) {
      fail(new Error('the receiver of messages threw', { cause: error }));
    }
  }

  async function commitNow(): Promise<void> {
    const due = lanes.uncommitted();
    if (due.length === 0 || !client) return;
    try {
      await client.commit(due);
      lanes.committed(due);
    } catch (error) {
      // The lanes stay uncommitted, so the next turn tries again; after a rebalance they are gone and their messages
      // come again.
      logger.debug({ err: error, lanes: due.length }, 'could not commit offsets, trying again');
    }
  }

  function commit(): Promise<void> {
    return (committing ??= commitNow().finally(() => (committing = undefined)));
  }

  function onTimer(): void {
    void commit();
    health.pass(commitIntervalMs);
    sinceKeepMs += commitIntervalMs;
    sinceLookMs += commitIntervalMs;
    if (sinceKeepMs >= keepTopicsMs) {
      sinceKeepMs = 0;
      void keepTopics();
    }
    if (sinceLookMs >= lookIntervalMs) {
      sinceLookMs = 0;
      void lookAtOffsets();
    }
    const broken = health.broken();
    if (broken) fail(broken);
  }

  async function keepTopics(): Promise<void> {
    const missing = client?.missingTopics() ?? [];
    if (missing.length === 0) return;
    try {
      if (await keeper.ensure(missing)) logger.warn({ topics: missing }, 'topics were missing and are there again');
      // Also when another process creates them.
      await client?.refresh();
    } catch (error) {
      logger.debug({ err: error, missing }, 'could not ask for missing topics');
    }
  }

  async function lookAtOffsets(): Promise<void> {
    const view = lanes.view();
    try {
      offsets = await offsetLook.look([...new Set(view.map(({ lane }) => lane.topic))]);
      health.observe(lanes.view(), offsets);
    } catch (error) {
      logger.debug({ err: error }, 'could not look at offsets');
    }
  }

  function onCrashed(error: Error): void {
    intake.assign({});
    const pauseMs = health.onCrashed(error);
    if (stopping.signal.aborted) return;
    logger.warn({ err: error, pauseMs }, 'consumer starts anew');
    void nextTurn(async () => {
      await clock.sleep(pauseMs, stopping.signal);
      await openClient();
    });
  }

  /** A client that could not even begin is as good as one that crashed. */
  function nextTurn(work: () => Promise<void>): Promise<void> {
    turn = turn
      .then(work)
      .catch((error: unknown) => onCrashed(error instanceof Error ? error : new Error(String(error))));
    return turn;
  }

  async function openClient(): Promise<void> {
    if (stopping.signal.aborted) return;
    const opened = createGroupClient({
      kafka,
      groupId,
      topics,
      sessionTimeoutMs,
      metadataMaxAgeMs,
      maxBytesPerPartition: fetch.maxBytesPerPartition,
      fetching: () => intake.fetching(),
      takeBatch: (payload) => intake.takeBatch(payload),
      onJoined: (partitionsByTopic) => {
        health.onJoined();
        intake.assign(partitionsByTopic);
        joined.resolve(null);
      },
      onRebalance: () => void commit(),
      onFetched: () => health.onFetched(),
      onCrashed,
    });
    client = opened;
    try {
      await opened.start();
    } catch (error) {
      await opened.stop().catch(() => undefined);
      throw error;
    }
  }

  async function closeClient(): Promise<void> {
    await committing;
    await commit();
    const leaving = client;
    client = undefined;
    intake.assign({});
    await leaving?.stop();
  }

  async function begin(): Promise<void> {
    await keeper.ensureSoon(topics);
    await openClient();
    timer = setInterval(onTimer, commitIntervalMs);
  }

  async function leave(): Promise<void> {
    stopping.abort();
    intake.stop();
    joined.reject(new Error('stopped before it had joined its group'));
    // kafkajs cannot be stopped while it joins: it would join unnoticed.
    await turn;
    clearInterval(timer);
    await closeClient();
    await Promise.all([keeper.close(), offsetLook.close()]);
  }

  return {
    start: async (given) => {
      if (receiver || stopped) throw new Error(`the consumer of ${groupId} can be started only once`);
      receiver = given;
      const beginning = begin();
      turn = beginning.catch(() => undefined);
      await beginning;
      await joined.promise;
    },
    subscribe: async (specs) => {
      const named = specs.map(({ topic }) => topic);
      const isSame = named.length === topics.length && named.every((topic) => topics.includes(topic));
      topics = named;
      keeper.keep(specs);
      if (!receiver || stopped) return;
      await keeper.ensure(topics);
      // A member that sees more partitions than when it joined makes the group assign anew; no member has to leave for
      // that.
      if (isSame) return await client?.refresh();
      joined = Promise.withResolvers<null>();
      joined.promise.catch(() => undefined);
      const { promise } = joined;
      await nextTurn(async () => {
        await closeClient();
        await openClient();
      });
      await promise;
    },
    settle: (message) => intake.settle(message),
    stopIntake: () => intake.stop(),
    stop: () => (stopped ??= leave()),
    ready: () => (stopped ? { ok: false, cause: 'stopping' } : health.ready()),
    stats: (): TopicStats[] => statsOf(topics, lanes.view(), offsets),
    crashed: crashed.promise,
  };
}
