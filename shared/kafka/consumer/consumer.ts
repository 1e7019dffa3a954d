import type { Clock } from '../../ports/clock.ts';
import type { LaneReceiver, MessageConsumer, TopicSpec, TopicStats } from '../../ports/message-bus.ts';
import type { Logger } from '../../runtime/logger.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { createAnswerWatch } from '../client/answer-watch.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createConsumerChores, readIntervalMs } from './consumer-chores.ts';
import { createConsumerHealth } from './consumer-health.ts';
import { createGroupClient, type GroupClient } from './group-client.ts';
import { createLaneIntake } from './lane-intake.ts';
import { createLanes } from './lanes.ts';
import { createOffsetReader } from '../cluster/offset-reader.ts';
import { createTopicKeeper } from '../cluster/topic-keeper.ts';
import { statsOf } from './topic-stats.ts';

export interface ConsumerDeps {
  kafka: KafkaConnection;
  groupId: string;
  /** Topics that the consumer creates if they are missing, at the start and later. */
  topics: readonly TopicSpec[];
  logger: Logger;
  /**
   * Time without a heartbeat after which the group reassigns a member's partitions, in milliseconds; brokers allow 6 s
   * and more by default. Also the time that a rebalance waits for members that are alive but busy.
   */
  sessionTimeoutMs?: number;
  /** Milliseconds between two commits. Messages settled since the last commit are delivered again after a crash. */
  commitIntervalMs?: number;
  /** Upper bound on the unsettled messages of a lane; the lane gets more below half of it. */
  laneHighMark?: number;
  fetch?: FetchTerms;
  /** Milliseconds after which added partitions are noticed. */
  metadataMaxAgeMs?: number;
  clock?: Pick<Clock, 'monotonicMs' | 'sleep'>;
}

export interface FetchTerms {
  /**
   * Longest time that a broker gathers messages while messages arrive. A long time adds lag at low volume; a short time
   * adds load on both sides.
   */
  gatherMs: number;
  /** Upper bound on one answer: messages read ahead wait in memory as long-lived objects, a load on the collector. */
  maxBytesPerPartition: number;
  /**
   * Longest time that a broker may hold a fetch while no message is in work; it still answers at once when a message
   * arrives. Partitions added other than by `subscribe` may go unnoticed for as long.
   */
  idleMs?: number;
}

/** Terms that allow about a thousand references of batches in an answer. */
const defaultFetch: FetchTerms = { gatherMs: 50, maxBytesPerPartition: 8 * 1024 };

/**
 * Default `laneHighMark`. The receiver is responsible for fairness between feeds, so a lane must deliver enough to
 * choose from. Otherwise a message of a small run would wait on the topic for the backlog of a large run in a slow
 * step.
 */
const defaultHighMark = 512;

/**
 * State of a consumer. One consumer serves all topics of a service and outlives its kafkajs clients: if a client
 * crashes or the topics change, the next client takes its place in the group.
 *
 * | state  | event                               | what happens, in this order                        | next     |
 * | ------ | ----------------------------------- | -------------------------------------------------- | -------- |
 * | new    | `start`                             | creates topics, opens a client, joins the group    | member   |
 * | member | the group assigns partitions        | lanes begin and end; `start`, `subscribe` return   | member   |
 * | member | `subscribe` to other topics         | commits, its client leaves, the next one joins     | member   |
 * | member | its client crashes                  | its lanes end; after a pause the next one joins    | member   |
 * | member | no progress, or the receiver throws | `crashed` resolves: a new process may recover      | dead     |
 * | any    | `stop`                              | takes no more messages, commits, its client leaves | stopping |
 *
 * Clients are opened and closed one after another (`turn`), because kafkajs cannot be stopped while it joins: it would
 * join unnoticed. A dead or stopping consumer opens no further client.
 */
type State = 'new' | 'member' | 'dead' | 'stopping';

export function createConsumer(deps: ConsumerDeps): MessageConsumer {
  const { kafka, groupId, sessionTimeoutMs = 10_000, commitIntervalMs = 250, laneHighMark = defaultHighMark } = deps;
  const { fetch = defaultFetch, metadataMaxAgeMs = 30_000, clock = systemClock } = deps;
  const logger = deps.logger.child({ groupId });
  const lanes = createLanes({ highMark: laneHighMark, lowMark: Math.ceil(laneHighMark / 2) });
  const fetches = createAnswerWatch(clock);
  const health = createConsumerHealth({ groupId, readIntervalMs, fetches });
  const keeper = createTopicKeeper({ kafka, specs: deps.topics, clock, logger });
  const offsetReader = createOffsetReader({ kafka, groupId });
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
    offsetReader,
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

  /** Calls the receiver, which must not throw. An error must not reach kafkajs, which would stop for good, silently. */
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

  /** Runs the work after the previous turn. A client that cannot begin is handled like one that crashed. */
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
    await Promise.all([keeper.close(), offsetReader.close()]);
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
      // A member that sees more partitions than when it joined makes the group reassign its partitions; no member has
      // to leave.
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

/** Creates a promise with an empty rejection handler, because an unhandled rejection would end the process. */
function awaitedJoin(): PromiseWithResolvers<null> {
  const join = Promise.withResolvers<null>();
  join.promise.catch(() => undefined);
  return join;
}
