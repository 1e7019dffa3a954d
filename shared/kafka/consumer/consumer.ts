import type { Clock } from '../../ports/clock.ts';
import type { LaneReceiver, MessageConsumer, TopicSpec, TopicStats } from '../../ports/message-bus.ts';
import type { Logger } from '../../runtime/logger.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { createAnswerWatch } from '../client/answer-watch.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createConsumerChores, lookIntervalMs } from './consumer-chores.ts';
import { createConsumerHealth } from './consumer-health.ts';
import { createGroupClient, type GroupClient } from './group-client.ts';
import { createLaneIntake } from './lane-intake.ts';
import { createLanes } from './lanes.ts';
import { createOffsetLook } from '../cluster/offset-look.ts';
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
  /**
   * How long a broker may keep a question while nothing is in work; a message is answered at once all the same.
   * Partitions that were added, and not by `subscribe`, may go unnoticed for as long.
   */
  idleMs?: number;
}

/** About a thousand references of batches. */
const defaultFetch: FetchTerms = { gatherMs: 50, maxBytesPerPartition: 8 * 1024 };

/**
 * Fairness between feeds is the receiver's, so a lane has to show it what waits: behind a few messages of a large run
 * in a slow step, a small one's would wait on the topic for as long as all of the backlog takes.
 */
const defaultHighMark = 512;

/**
 * One consumer for all topics of a service. It outlives its kafkajs clients: where one crashes or the topics change,
 * the next takes its place in the group.
 *
 * | state  | event                               | what happens, in this order                        | next     |
 * | ------ | ----------------------------------- | -------------------------------------------------- | -------- |
 * | new    | `start`                             | topics are made, a client is opened, it joins      | member   |
 * | member | the group assigns partitions        | lanes begin and end; `start`, `subscribe` return   | member   |
 * | member | `subscribe` to other topics         | commits, its client leaves, the next one joins     | member   |
 * | member | its client crashes                  | its lanes end; after a pause the next one joins    | member   |
 * | member | no progress, or the receiver throws | `crashed` resolves: another process is worth a try | dead     |
 * | any    | `stop`                              | nothing more is taken, commits, its client leaves  | stopping |
 *
 * Clients come and go one after another (`turn`), because kafkajs cannot be stopped while it joins: it would join
 * unnoticed. Dead or stopping, no next one is opened.
 */
type State = 'new' | 'member' | 'dead' | 'stopping';

export function createConsumer(deps: ConsumerDeps): MessageConsumer {
  const { kafka, groupId, sessionTimeoutMs = 10_000, commitIntervalMs = 250, laneHighMark = defaultHighMark } = deps;
  const { fetch = defaultFetch, metadataMaxAgeMs = 30_000, clock = systemClock } = deps;
  const logger = deps.logger.child({ groupId });
  const lanes = createLanes({ highMark: laneHighMark, lowMark: Math.ceil(laneHighMark / 2) });
  const fetches = createAnswerWatch(clock);
  const health = createConsumerHealth({ groupId, lookIntervalMs, fetches });
  const keeper = createTopicKeeper({ kafka, specs: deps.topics, clock, logger });
  const offsetLook = createOffsetLook({ kafka, groupId });
  const crashed = Promise.withResolvers<Error>();
  const stopping = new AbortController();

  let state: State = 'new';
  let topics = deps.topics.map(({ topic }) => topic);
  let receiver: LaneReceiver | undefined;
  let client: GroupClient | undefined;
  let joined = awaitedJoin();
  let turn: Promise<void> = Promise.resolve();
  let left: Promise<void> | undefined;

  const chores = createConsumerChores({
    client: () => client,
    lanes,
    health,
    keeper,
    offsetLook,
    commitIntervalMs,
    onBroken: die,
    clock,
    logger,
  });
  const intake = createLaneIntake({
    lanes,
    client: () => client,
    topics: () => topics,
    gatherMs: fetch.gatherMs,
    idleMs: fetch.idleMs,
    tell,
    isCrowded: () => receiver?.isCrowded() ?? false,
    monotonicMs: () => clock.monotonicMs(),
  });

  function die(cause: Error): void {
    if (state !== 'member') return;
    state = 'dead';
    chores.end();
    logger.error({ err: cause }, 'consumer has died');
    crashed.resolve(cause);
    joined.reject(cause);
  }

  /**
   * The receiver promises not to throw. If it does all the same, kafkajs must not hear of it: it would stop for good,
   * and silently.
   */
  function tell(about: (to: LaneReceiver) => void): void {
    try {
      if (receiver) about(receiver);
    } catch (error) {
      die(new Error('the receiver of messages threw', { cause: error }));
    }
  }

  function onJoined(partitionsByTopic: Readonly<Record<string, number[]>>): void {
    health.onJoined();
    intake.assign(partitionsByTopic);
    joined.resolve(null);
  }

  function onCrashed(error: Error): void {
    intake.assign({});
    const pauseMs = health.onCrashed(error);
    if (state !== 'member') return;
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
    if (state !== 'member') return;
    const opened = createGroupClient({
      kafka,
      groupId,
      topics,
      sessionTimeoutMs,
      metadataMaxAgeMs,
      maxBytesPerPartition: fetch.maxBytesPerPartition,
      fetching: () => intake.fetching(),
      fetches,
      clock,
      takeBatch: (payload) => intake.takeBatch(payload),
      onJoined,
      onRebalance: () => void chores.commit(),
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
    await chores.commitAll();
    const leaving = client;
    client = undefined;
    intake.assign({});
    await leaving?.stop();
  }

  async function begin(): Promise<void> {
    await keeper.ensureSoon(topics);
    await openClient();
    chores.begin();
  }

  async function leave(): Promise<void> {
    state = 'stopping';
    stopping.abort();
    intake.stop();
    joined.reject(new Error('stopped before it had joined its group'));
    await turn;
    chores.end();
    await closeClient();
    await Promise.all([keeper.close(), offsetLook.close()]);
  }

  return {
    start: async (given) => {
      if (state !== 'new') throw new Error(`the consumer of ${groupId} can be started only once`);
      state = 'member';
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
      if (state !== 'member') return;
      await keeper.ensure(topics);
      // A member that sees more partitions than when it joined makes the group assign anew; no member has to leave for
      // that.
      if (isSame) return await client?.refresh();
      joined = awaitedJoin();
      const { promise } = joined;
      await nextTurn(async () => {
        await closeClient();
        await openClient();
      });
      await promise;
    },
    settle: (message) => intake.settle(message),
    stopIntake: () => intake.stop(),
    stop: () => (left ??= leave()),
    ready: () => (state === 'stopping' ? { ok: false, cause: 'stopping' } : health.ready()),
    stats: (): TopicStats[] => statsOf(topics, lanes.view(), chores.offsets()),
    crashed: crashed.promise,
  };
}

/** Rejected where there is no join to come, whether or not it is awaited. */
function awaitedJoin(): PromiseWithResolvers<null> {
  const join = Promise.withResolvers<null>();
  join.promise.catch(() => undefined);
  return join;
}
