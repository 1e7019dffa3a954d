import type { Clock } from '../../ports/clock.ts';
import { PublishError, type MessagePublisher, type OutgoingMessage, type TopicSpec } from '../../ports/message-bus.ts';
import type { Logger } from '../../runtime/logger.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { createBacklogWatch } from './backlog-watch.ts';
import { createAnswerWatch, unansweredTooLongMs } from '../client/answer-watch.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createPartitioner } from './partitioner.ts';
import { createPlacement } from './placement.ts';
import { createProducers } from './producers.ts';
import { createSendQueue, parcelsOf, type Parcel } from './send-queue.ts';
import { createTopicKeeper } from '../cluster/topic-keeper.ts';

export interface PublisherDeps {
  kafka: KafkaConnection;
  logger: Logger;
  /**
   * Topics created if they are missing, at `connect` and after a failed publish. Other topics may be published to as
   * well.
   */
  topics?: readonly TopicSpec[];
  /**
   * Group that consumes these topics: messages without a key go to the partition where the group has least to do.
   * Without a group, partitions take turns.
   */
  consumedBy?: string;
  /** Milliseconds after which added partitions are noticed. */
  metadataMaxAgeMs?: number;
  clock?: Pick<Clock, 'sleep' | 'monotonicMs'>;
}

export interface Publisher extends MessagePublisher {
  connect(): Promise<void>;
  /** Returns the number of messages that could not be published so far, by topic. */
  failures(): ReadonlyMap<string, number>;
  /** @throws if messages wait to be published and no broker has acknowledged any for seconds */
  requireAnswers: () => void;
  /** Replaces the topics that are created if they are missing. */
  keep(topics: readonly TopicSpec[]): void;
  /** Resolves when all pending messages have an outcome and the connections are closed. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * State of a topic for publishing. A topic without an entry is healthy.
 *
 * | state      | messages for the topic     | what happens, and the next state                                              |
 * | ---------- | -------------------------- | ----------------------------------------------------------------------------- |
 * | healthy    | leave in the next request  | a request fails: recovering                                                   |
 * | recovering | wait for the recovery      | an attempt succeeds: healthy; the last one fails: given up                    |
 * | given-up   | are refused at once        | its pause is over, or the topic was created: the next `publish` is the probe  |
 * | probing    | are refused at once        | the probe succeeds: healthy; it fails: given up, for twice as long            |
 *
 * One dead topic thus delays no other, and callers do not wait for a failure that is already known.
 */
type TopicState =
  | { kind: 'healthy' }
  | { kind: 'recovering'; waiting: Parcel[] }
  | { kind: 'given-up'; cause: unknown; pauseMs: number; probeAtMs: number }
  | { kind: 'probing'; cause: unknown; pauseMs: number };

const healthy: TopicState = { kind: 'healthy' };

/**
 * Pauses of a recovering topic before each further attempt, in milliseconds. With the retries of kafkajs within each
 * attempt, recovery takes seconds, not minutes.
 */
const retryPausesMs = [200, 800];
/** Pauses of a given-up topic until the next probe, in milliseconds; they double while probes fail. */
const probePausesMs = { first: 500, longest: 5_000 };
/** Milliseconds for which the caller whose messages are the probe waits for its outcome. */
const probeAwaitedMs = 100;

type Failure = { cause: unknown } | undefined;

/**
 * Creates a publisher. All `publish` calls made while a request is in flight leave together in the next one. If a
 * request fails, each of its topics is retried alone, through a producer of its own, while other topics continue.
 */
export function createPublisher(deps: PublisherDeps): Publisher {
  const { kafka, logger, topics = [], consumedBy, metadataMaxAgeMs = 30_000, clock = systemClock } = deps;
  // Shared by all producers, so that they place messages consistently.
  const placement = createPlacement({ monotonicMs: () => clock.monotonicMs() });
  const partitioner = createPartitioner(placement);
  const backlogs =
    consumedBy === undefined ? undefined : createBacklogWatch({ kafka, groupId: consumedBy, placement, clock, logger });
  const keeper = createTopicKeeper({ kafka, specs: topics, clock, logger });
  const sends = createAnswerWatch(clock);
  const producers = createProducers({
    sends,
    create: () =>
      kafka.producer({
        createPartitioner: partitioner,
        allowAutoTopicCreation: false,
        metadataMaxAge: metadataMaxAgeMs,
        retry: { retries: 2 },
      }),
  });
  const failures = new Map<string, number>();
  const states = new Map<string, TopicState>();
  const working = new Set<Promise<unknown>>();

  const queue = createSendQueue({
    send: (messages) => producers.send(messages),
    onFailed: (parcels, cause) => {
      for (const [topic, ofTopic] of Map.groupBy(parcels, (parcel) => parcel.topic)) onFailed(topic, ofTopic, cause);
    },
    track,
  });

  function stateOf(topic: string): TopicState {
    return states.get(topic) ?? healthy;
  }

  /** Returns undefined if all messages are known to be on the topic. */
  async function publishTo(topic: string, messages: readonly OutgoingMessage[]): Promise<Failure> {
    backlogs?.use(topic);
    const state = stateOf(topic);
    switch (state.kind) {
      case 'healthy':
        return await settled(topic, messages, (parcel) => queue.add(parcel));
      case 'recovering':
        return await settled(topic, messages, (parcel) => state.waiting.push(parcel));
      case 'probing':
        return state;
      case 'given-up':
        if (clock.monotonicMs() < state.probeAtMs) return state;
        // If the outcome is too late for this caller, it still decides the state for the next one.
        return await Promise.race([
          track(probe(topic, state, messages)),
          clock.sleep(probeAwaitedMs).then(() => state),
        ]);
    }
  }

  function onFailed(topic: string, parcels: readonly Parcel[], cause: unknown): void {
    const state = stateOf(topic);
    switch (state.kind) {
      case 'healthy':
        return void track(recover(topic, parcels, cause));
      case 'recovering':
        return void state.waiting.push(...parcels);
      case 'given-up':
      case 'probing':
        for (const { settle } of parcels) settle({ cause });
    }
  }

  /** Retries the parcels. Never rejects: each parcel receives its outcome. */
  async function recover(topic: string, parcels: readonly Parcel[], cause: unknown): Promise<void> {
    const waiting: Parcel[] = [];
    states.set(topic, { kind: 'recovering', waiting });
    const messages = parcels.flatMap((parcel) => parcel.messages);
    const failure = await sendAgain(topic, messages, cause);
    if (failure) {
      giveUp(topic, failure.cause, probePausesMs.first);
      for (const { settle } of [...parcels, ...waiting]) settle(failure);
      return;
    }
    states.delete(topic);
    for (const { settle } of parcels) settle(undefined);
    for (const parcel of waiting) queue.add(parcel);
  }

  async function sendAgain(topic: string, messages: readonly OutgoingMessage[], cause: unknown): Promise<Failure> {
    let last = cause;
    for (const pauseMs of retryPausesMs) {
      logger.warn({ err: last, topic, messages: messages.length }, 'could not publish, trying again');
      await clock.sleep(pauseMs);
      try {
        await producers.sendAlone(messages);
        return undefined;
      } catch (error) {
        last = error;
      }
    }
    return { cause: last };
  }

  function giveUp(topic: string, cause: unknown, pauseMs: number): void {
    states.set(topic, { kind: 'given-up', cause, pauseMs, probeAtMs: clock.monotonicMs() + pauseMs });
    void track(
      keeper.ensure([topic]).then((isThere) => {
        const state = stateOf(topic);
        if (isThere && state.kind === 'given-up') states.set(topic, { ...state, probeAtMs: clock.monotonicMs() });
      }),
    );
  }

  async function probe(
    topic: string,
    { cause: before, pauseMs }: Extract<TopicState, { kind: 'given-up' }>,
    messages: readonly OutgoingMessage[],
  ): Promise<Failure> {
    states.set(topic, { kind: 'probing', cause: before, pauseMs });
    try {
      await producers.sendAlone(messages);
      states.delete(topic);
      logger.info({ topic }, 'topic can be published to again');
      return undefined;
    } catch (cause) {
      giveUp(topic, cause, Math.min(2 * pauseMs, probePausesMs.longest));
      return { cause };
    }
  }

  function track<Result>(work: Promise<Result>): Promise<Result> {
    working.add(work);
    void work.finally(() => working.delete(work));
    return work;
  }

  return {
    connect: async () => {
      await keeper.ensureSoon(topics.map(({ topic }) => topic));
      await producers.connect();
    },
    publish: async (messages) => {
      const byTopic = [...Map.groupBy(messages, ({ topic }) => topic)];
      const outcomes = await Promise.all(
        byTopic.map(async ([topic, ofTopic]) => ({ topic, ofTopic, failure: await publishTo(topic, ofTopic) })),
      );
      const failed = outcomes.filter(({ failure }) => failure !== undefined);
      for (const { topic, ofTopic } of failed) failures.set(topic, (failures.get(topic) ?? 0) + ofTopic.length);
      const [first] = failed;
      if (!first) return;
      throw new PublishError(
        `could not publish to ${failed.map(({ topic }) => topic).join(', ')}: ${messageOf(first.failure?.cause)}`,
        failed.map(({ topic }) => topic),
        { cause: first.failure?.cause },
      );
    },
    failures: () => failures,
    requireAnswers: () => {
      const unansweredMs = sends.unansweredMs();
      if (unansweredMs < unansweredTooLongMs) return;
      throw new Error(`no broker has acknowledged a message for ${Math.round(unansweredMs / 1000)} s`);
    },
    keep: (specs) => keeper.keep(specs),
    close: async () => {
      while (working.size > 0) await Promise.all(working);
      await producers.close();
      await Promise.all([keeper.close(), backlogs?.close()]);
    },
  };
}

/** Passes messages on in parcels. Resolves when all of them are settled, with their first failure. */
async function settled(
  topic: string,
  messages: readonly OutgoingMessage[],
  handOver: (parcel: Parcel) => void,
): Promise<Failure> {
  const outcomes = await Promise.all(
    parcelsOf(messages).map((some) => new Promise<Failure>((settle) => handOver({ topic, ...some, settle }))),
  );
  return outcomes.find((outcome) => outcome !== undefined);
}

/** Message of kafkajs for a missing topic. */
const missingTopicMessage = 'Producing to topic without metadata';

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.includes(missingTopicMessage) ? 'no such topic, or no partition of it has a leader' : message;
}
