import type { Cluster, EachBatchPayload } from 'kafkajs';
import type { Clock } from '../../ports/clock.ts';
import type { AnswerWatch } from '../client/answer-watch.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createCommitFence } from './commit-fence.ts';
import type { LanePosition } from './lanes.ts';
import { partitionAssigners } from './partition-assigner.ts';
import { steerCluster, type Fetching } from './steer-cluster.ts';
import type { WaitingFetches } from './waiting-fetches.ts';

export interface TopicPartitions {
  topic: string;
  partitions?: number[];
}

export interface GroupClient {
  /** Resolves when joining has begun; `onJoined` and `onCrashed` report the result. Rejects if no broker answers. */
  start(): Promise<void>;
  /**
   * Makes one attempt to commit; attempts run one at a time. Rejects on failure, or if partitions were assigned anew
   * before the commit was sent.
   */
  commit(positions: readonly LanePosition[]): Promise<void>;
  pause(what: TopicPartitions[]): void;
  resume(what: TopicPartitions[]): void;
  /** Returns the topics without any known partition to fetch. */
  missingTopics(): string[];
  /** Requests the current metadata from the brokers; new partitions are fetched soon after. */
  refresh(): Promise<void>;
  /** Leaves the group. */
  stop(): Promise<void>;
}

export interface GroupClientDeps {
  kafka: KafkaConnection;
  groupId: string;
  topics: readonly string[];
  sessionTimeoutMs: number;
  metadataMaxAgeMs: number;
  /** Upper bound on one answer, in bytes. */
  maxBytesPerPartition: number;
  fetching: () => Fetching;
  fetches: AnswerWatch;
  clock: Pick<Clock, 'sleep'>;
  takeBatch: (payload: EachBatchPayload) => Promise<void>;
  onJoined: (partitionsByTopic: Readonly<Record<string, number[]>>) => void;
  /** Notifies of a rebalance: the last moment at which the group accepts offsets of the old assignment. */
  onRebalance: () => void;
  onFetched: () => void;
  /** Notifies that this client has ended; the caller may start another one. */
  onCrashed: (error: Error) => void;
}

/** Upper bound on one answer, shared by all lanes, in bytes. */
const maxBytes = 1024 * 1024;

export function createGroupClient(deps: GroupClientDeps): GroupClient {
  const { kafka, groupId, sessionTimeoutMs } = deps;
  const topics = [...deps.topics];
  const clusters = new Map<Cluster, WaitingFetches>();
  const commits = createCommitFence();
  const { fetching, fetches, clock } = deps;
  const steering = { fetching, fetches, isCommitCurrent: () => commits.isCurrent, clock };
  const client = kafka.consumer({
    groupId,
    partitionAssigners: partitionAssigners().map((createAssigner) => (given) => {
      if (!clusters.has(given.cluster)) clusters.set(given.cluster, steerCluster(given.cluster, steering));
      return createAssigner(given);
    }),
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: sessionTimeoutMs,
    // kafkajs sends a heartbeat at every occasion; `heartbeat-pace.ts` lets one per second pass.
    heartbeatInterval: Number.NEGATIVE_INFINITY,
    metadataMaxAge: deps.metadataMaxAgeMs,
    allowAutoTopicCreation: false,
    maxBytesPerPartition: deps.maxBytesPerPartition,
    maxBytes,
    // kafkajs sleeps for this time while all lanes are paused. The wait of a fetch is decided in `fetching`.
    maxWaitTimeInMs: 50,
    // The caller starts another client instead: kafkajs leaks listeners at every restart of its own.
    retry: { retries: 5, restartOnFailure: () => Promise.resolve(false) },
  });
  const { GROUP_JOIN, REBALANCING, FETCH, CRASH } = client.events;
  let over = false;

  client.on(FETCH, () => deps.onFetched());
  client.on(GROUP_JOIN, ({ payload }) => {
    commits.onJoined();
    if (!over) deps.onJoined(payload.memberAssignment);
  });
  client.on(REBALANCING, () => deps.onRebalance());
  client.on(CRASH, ({ payload }) => {
    if (over) return;
    over = true;
    deps.onCrashed(payload.error);
  });

  function steer(direction: 'pause' | 'resume', what: TopicPartitions[]): void {
    if (over || what.length === 0) return;
    try {
      client[direction](what);
    } catch {
      // Between the crash and its event, or before the first join, there is no group to pause or resume.
    }
  }

  return {
    start: async () => {
      await client.connect();
      if (topics.length > 0) await client.subscribe({ topics, fromBeginning: true });
      await client.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: deps.takeBatch });
    },
    commit: (positions) =>
      commits.run(() =>
        client.commitOffsets(
          positions.map(({ lane: { topic, partition }, offset }) => ({ topic, partition, offset: String(offset) })),
        ),
      ),
    pause: (what) => steer('pause', what),
    resume: (what) => steer('resume', what),
    missingTopics: () => topics.filter((topic) => partitionsKnown(clusters, topic) === 0),
    refresh: async () => {
      for (const [cluster, fetches] of clusters) {
        await cluster.refreshMetadata();
        fetches.interrupt();
      }
    },
    stop: async () => {
      over = true;
      const disconnected = client.disconnect();
      // kafkajs would wait until these fetches end.
      for (const fetches of clusters.values()) fetches.end();
      await disconnected;
    },
  };
}

function partitionsKnown(clusters: ReadonlyMap<Cluster, unknown>, topic: string): number {
  let count = 0;
  for (const cluster of clusters.keys()) {
    try {
      count += cluster.findTopicPartitionMetadata(topic).length;
    } catch {
      // The cluster is not connected and has no metadata.
    }
  }
  return count;
}
