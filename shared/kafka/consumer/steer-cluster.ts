import { setTimeout as wait } from 'node:timers/promises';
import kafkajs, { type Broker, type Cluster } from 'kafkajs';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { AnswerWatch } from '../client/answer-watch.ts';
import { dropFetches } from '../client/drop-fetches.ts';
import { createHeartbeatPace, type HeartbeatPace } from './heartbeat-pace.ts';
import { createWaitingFetches, heartbeatIntervalMs, type WaitingFetches } from './waiting-fetches.ts';

// Node does not find this among the named exports of this CommonJS module.
const { KafkaJSNonRetriableError } = kafkajs;

/** Condition on which the broker answers a fetch: it has `minBytes`, or `maxWaitTime` milliseconds have passed. */
export interface Fetching {
  minBytes: number;
  maxWaitTime: number;
}

/**
 * Least time between two joins of one member. After a topic was deleted, brokers may still name it for a moment. In
 * that time kafkajs would join again and again, and each join ends all lanes of the group if this member leads it.
 */
const joinsApartMs = 250;

export interface SteeringDeps {
  fetching: () => Fetching;
  fetches: AnswerWatch;
  /** Returns false if the group has assigned partitions anew since the current commit began. */
  isCommitCurrent: () => boolean;
  clock: Pick<Clock, 'sleep'>;
}

interface Steering extends Pick<SteeringDeps, 'fetching' | 'fetches' | 'isCommitCurrent'> {
  waiting: WaitingFetches;
  pace: HeartbeatPace;
  /** Receives the function that sends the new member's heartbeats, whatever their pace. */
  onJoined: (heartbeat: () => Promise<unknown>) => void;
}

const joinQuestion = z.object({ groupId: z.string() });
const joinAnswer = z.object({ memberId: z.string(), generationId: z.number() });
const nothing = { responses: [] };

/**
 * Changes the requests of one kafkajs consumer to its cluster, on the consumer's own objects:
 * - The wait of a fetch is decided for each fetch.
 * - A joining member has the newest metadata, so that added partitions cost the group one rebalance, and not one per
 * member.
 * - A missing partition does not block other partitions.
 * - A commit is one attempt.
 * - The wall clock does not affect when heartbeats are sent.
 *
 * @returns the waiting fetches, to interrupt if the consumer has other work
 */
export function steerCluster(cluster: Cluster, deps: SteeringDeps): WaitingFetches {
  const { fetching, fetches, isCommitCurrent, clock } = deps;
  const findGroupCoordinator = cluster.findGroupCoordinator.bind(cluster);
  const findBroker = cluster.findBroker.bind(cluster);
  const fetchTopicsOffset = cluster.fetchTopicsOffset.bind(cluster);
  const steered = new WeakSet<Broker>();
  let joinedAtMs = -Infinity;
  let heartbeat: () => Promise<unknown> = () => Promise.resolve();
  const waiting = createWaitingFetches({ heartbeat: () => heartbeat(), clock });
  const pace = createHeartbeatPace();
  const onJoined = (beat: () => Promise<unknown>) => {
    heartbeat = () => pace.send(beat);
  };

  // kafkajs requests the coordinator right before each join, and at no other time.
  cluster.findGroupCoordinator = async (group) => {
    const earlyByMs = joinedAtMs + joinsApartMs - performance.now();
    if (earlyByMs > 0) await wait(earlyByMs);
    joinedAtMs = performance.now();
    // Without an answer the member joins with old metadata; kafkajs retries the coordinator request itself.
    await cluster.refreshMetadata().catch(() => undefined);
    return await findGroupCoordinator(group);
  };

  cluster.findBroker = async (node) => {
    const broker = await findBroker(node);
    if (!steered.has(broker)) {
      steered.add(broker);
      steerBroker(broker, { fetching, fetches, isCommitCurrent, waiting, pace, onJoined });
    }
    return broker;
  };

  // kafkajs looks up each topic in the answer. A topic without leaders is missing there, and the TypeError is fatal.
  cluster.fetchTopicsOffset = async (topics) => {
    const answer = await fetchTopicsOffset(topics);
    const answered = new Set(answer.map(({ topic }) => topic));
    const missing = topics.filter(({ topic }) => !answered.has(topic));
    return [...answer, ...missing.map(({ topic }) => ({ topic, partitions: [] }))];
  };
  return waiting;
}

function steerBroker(broker: Broker, steering: Steering): void {
  const { fetching, fetches, isCommitCurrent, waiting, pace, onJoined } = steering;
  const beat = requestOf(broker, 'heartbeat');
  const beatIfDue = (as: unknown) => pace.sendIfDue(() => beat(as));
  Reflect.set(broker, 'heartbeat', beatIfDue);
  endClientByFailed('joinGroup', broker, (given, answer) => {
    const { memberId, generationId } = joinAnswer.parse(answer);
    const membership = { groupId: joinQuestion.parse(given).groupId, memberId, groupGenerationId: generationId };
    onJoined(() => beat(membership));
  });
  endClientByFailed('syncGroup', broker);
  const fetch = broker.fetch.bind(broker);
  const offsetCommit = broker.offsetCommit.bind(broker);

  broker.fetch = async (question) => {
    if (waiting.isOver) return nothing;
    const terms = fetching();
    const answer: Promise<unknown> = fetches.during(() => fetch({ ...question, ...terms }), terms.maxWaitTime);
    if (terms.maxWaitTime < heartbeatIntervalMs) return await answer;
    try {
      return await waiting.wait({ answer, drop: () => dropFetches(broker) }, nothing);
    } catch (error) {
      // kafkajs joins anew, or finds other brokers, only after the fetches from all brokers have ended. The waiting
      // fetches are therefore interrupted.
      waiting.interrupt();
      throw error;
    }
  };

  // kafkajs repeats a failed commit for seconds, in the generation that it has joined by then. After a rebalance the
  // repetition would set back the offsets of other members; after a topic was created anew it would skip messages.
  broker.offsetCommit = async (request) => {
    if (!isCommitCurrent()) throw new KafkaJSNonRetriableError('partitions were assigned anew since this commit began');
    try {
      const answer: unknown = await offsetCommit(request);
      return answer;
    } catch (error) {
      throw Object.assign(error instanceof Error ? error : new Error(String(error)), { retriable: false });
    }
  };
}

/** Error types after which kafkajs joins again. */
const joinedOnceMore = new Set([
  'REBALANCE_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
]);

/**
 * Makes a failed join the end of the client; another client begins. When the coordinator has moved and its successor
 * still loads, kafkajs gives up joining and continues to fetch. It then sends heartbeats to the new coordinator, which
 * knows the member. It sends commits to the old one, which refuses them for as long as the client lives.
 */
function endClientByFailed(
  name: 'joinGroup' | 'syncGroup',
  broker: Broker,
  onAnswer: (given: unknown, answer: unknown) => void = () => undefined,
): void {
  const send = requestOf(broker, name);
  const sendOrEnd = async (given: unknown): Promise<unknown> => {
    try {
      const answer = await send(given);
      onAnswer(given, answer);
      return answer;
    } catch (error) {
      throw isJoinedOnceMore(error) ? error : new KafkaJSNonRetriableError(`${name} failed: ${String(error)}`);
    }
  };
  Reflect.set(broker, name, sendOrEnd);
}

/** Returns a request that the types of kafkajs do not declare. */
function requestOf(broker: Broker, name: 'joinGroup' | 'syncGroup' | 'heartbeat') {
  const send: unknown = Reflect.get(broker, name);
  if (typeof send !== 'function') throw new Error(`kafkajs has no ${name} as in version 2.2.4`);
  return async (given: unknown): Promise<unknown> => {
    const answer: unknown = await Reflect.apply(send, broker, [given]);
    return answer;
  };
}

function isJoinedOnceMore(error: unknown): boolean {
  return error instanceof Error && 'type' in error && typeof error.type === 'string' && joinedOnceMore.has(error.type);
}
