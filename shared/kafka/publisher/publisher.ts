import type { Producer } from 'kafkajs';
import type { Clock } from '../../ports/clock.ts';
import { PublishError, type MessagePublisher, type OutgoingMessage, type TopicSpec } from '../../ports/message-bus.ts';
import type { Logger } from '../../runtime/logger.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { createBacklogWatch } from './backlog-watch.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createPartitioner } from './partitioner.ts';
import { createPlacement } from './placement.ts';
import { createSendQueue, parcelsOf, type Parcel } from './send-queue.ts';
import { sendCovered } from './send-covered.ts';
import { createTopicCircuits } from './topic-circuits.ts';
import { createTopicKeeper } from '../cluster/topic-keeper.ts';

export interface PublisherDeps {
  kafka: KafkaConnection;
  logger: Logger;
  /**
   * Created when they are missing, at `connect` and whenever publishing to one fails. Others can be published to if
   * they are there.
   */
  topics?: readonly TopicSpec[];
  /**
   * The group that consumes what is published here: messages without a key go where it has least to do. In turn over
   * the partitions without.
   */
  consumedBy?: string;
  /** After how long partitions that were added are noticed. */
  metadataMaxAgeMs?: number;
  clock?: Pick<Clock, 'sleep' | 'monotonicMs'>;
}

export interface Publisher extends MessagePublisher {
  connect(): Promise<void>;
  /** Messages that could not be published so far, by topic. */
  failures(): ReadonlyMap<string, number>;
  /** What is created from now on when it is missing. */
  keep(topics: readonly TopicSpec[]): void;
  /** Resolves when what was given to `publish` has been answered and the connections are closed. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Pauses before the attempts that follow the first. With those that kafkajs makes within each it takes seconds, not
 * minutes.
 */
const retryPausesMs = [200, 800];

/** How long who publishes to a topic that is given up waits for news of it. */
const probeAwaitedMs = 100;

/**
 * All `publish` calls that come while a request is on its way leave together in the next one. When a request fails,
 * each of its topics is tried again alone, through a producer of its own, while the others go on; one that still fails
 * is given up: who publishes to it then is refused at once, but for one now and then who finds out whether it is back.
 */
export function createPublisher(deps: PublisherDeps): Publisher {
  const { kafka, logger, topics = [], consumedBy, metadataMaxAgeMs = 30_000, clock = systemClock } = deps;
  // Kept over all producers, so that they place as one.
  const placement = createPlacement({ monotonicMs: () => clock.monotonicMs() });
  const partitioner = createPartitioner(placement);
  const backlogs =
    consumedBy === undefined ? undefined : createBacklogWatch({ kafka, groupId: consumedBy, placement, clock, logger });
  const keeper = createTopicKeeper({ kafka, specs: topics, clock, logger });
  const circuits = createTopicCircuits({ clock });
  const failures = new Map<string, number>();
  /** Topics that are tried again now, with what was published to them meanwhile. */
  const recovering = new Map<string, Parcel[]>();
  const working = new Set<Promise<unknown>>();
  let producer: Promise<Producer> | undefined;

  const queue = createSendQueue({
    send: (messages) => sendShared(messages),
    onFailed: (parcels, cause) => recoverAll(parcels, cause),
    track,
  });

  async function open(): Promise<Producer> {
    const opened = kafka.producer({
      createPartitioner: partitioner,
      allowAutoTopicCreation: false,
      metadataMaxAge: metadataMaxAgeMs,
      retry: { retries: 2 },
    });
    await opened.connect();
    return opened;
  }

  function current(): Promise<Producer> {
    return (producer ??= open());
  }

  /** A producer that failed is left: it may hold on to metadata that is not true any more. */
  function leave(failed: Promise<Producer>): void {
    if (producer !== failed) return;
    producer = undefined;
    void failed.then((opened) => opened.disconnect()).catch(() => undefined);
  }

  async function sendShared(messages: readonly OutgoingMessage[]): Promise<void> {
    const used = current();
    try {
      await sendCovered(await used, messages);
    } catch (error) {
      leave(used);
      throw error;
    }
  }

  async function sendAlone(messages: readonly OutgoingMessage[]): Promise<void> {
    const alone = await open();
    try {
      await sendCovered(alone, messages);
    } finally {
      await alone.disconnect().catch(() => undefined);
    }
  }

  async function sendAgain(topic: string, messages: readonly OutgoingMessage[], cause: unknown): Promise<unknown> {
    let last = cause;
    for (const pauseMs of retryPausesMs) {
      logger.warn({ err: last, topic, messages: messages.length }, 'could not publish, trying again');
      await clock.sleep(pauseMs);
      try {
        await sendAlone(messages);
        return undefined;
      } catch (error) {
        last = error;
      }
    }
    return last;
  }

  function recoverAll(parcels: readonly Parcel[], cause: unknown): void {
    for (const [topic, ofTopic] of Map.groupBy(parcels, (parcel) => parcel.topic))
      void track(recover(topic, ofTopic, cause));
  }

  /** Never rejects: each parcel hears what became of it. */
  async function recover(topic: string, parcels: readonly Parcel[], cause: unknown): Promise<void> {
    const meanwhile: Parcel[] = [];
    recovering.set(topic, meanwhile);
    const failure = await sendAgain(
      topic,
      parcels.flatMap(({ messages }) => messages),
      cause,
    );
    recovering.delete(topic);
    if (failure === undefined) {
      for (const parcel of parcels) parcel.settle(undefined);
      for (const parcel of meanwhile) queue.add(parcel);
      return;
    }
    giveUp(topic, failure);
    for (const parcel of [...parcels, ...meanwhile]) parcel.settle({ cause: failure });
  }

  function giveUp(topic: string, cause: unknown): void {
    circuits.fail(topic, cause);
    void track(
      keeper.ensure([topic]).then((there) => {
        if (there) circuits.hope(topic);
      }),
    );
  }

  async function probe(topic: string, messages: readonly OutgoingMessage[]): Promise<{ cause: unknown } | undefined> {
    try {
      await sendAlone(messages);
      circuits.close(topic);
      logger.info({ topic }, 'topic can be published to again');
      return undefined;
    } catch (cause) {
      giveUp(topic, cause);
      return { cause };
    }
  }

  /** Undefined when all of it is known to be on the topic. */
  async function publishTo(
    topic: string,
    messages: readonly OutgoingMessage[],
  ): Promise<{ cause: unknown } | undefined> {
    backlogs?.use(topic);
    const opened = circuits.openedBy(topic);
    if (opened) {
      if (!circuits.takeProbe(topic)) return opened;
      // What comes too late for this caller still tells the next one.
      return await Promise.race([track(probe(topic, messages)), clock.sleep(probeAwaitedMs).then(() => opened)]);
    }
    const outcomes = await Promise.all(
      parcelsOf(messages).map(
        (ofParcel) =>
          new Promise<{ cause: unknown } | undefined>((settle) => {
            const parcel = { topic, ...ofParcel, settle };
            const meanwhile = recovering.get(topic);
            if (meanwhile) meanwhile.push(parcel);
            else queue.add(parcel);
          }),
      ),
    );
    return outcomes.find((outcome) => outcome !== undefined);
  }

  function track<Result>(work: Promise<Result>): Promise<Result> {
    working.add(work);
    void work.finally(() => working.delete(work));
    return work;
  }

  return {
    connect: async () => {
      await keeper.ensureSoon(topics.map(({ topic }) => topic));
      const used = current();
      await used.catch((error: unknown) => {
        leave(used);
        throw error;
      });
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
    keep: (specs) => keeper.keep(specs),
    close: async () => {
      while (working.size > 0) await Promise.all(working);
      const opened = producer;
      producer = undefined;
      await (await opened?.catch(() => undefined))?.disconnect();
      await Promise.all([keeper.close(), backlogs?.close()]);
    },
  };
}

/** kafkajs says it in its own way when a topic is missing. */
const saidOfMissing = 'Producing to topic without metadata';

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.includes(saidOfMissing) ? 'no such topic, or no partition of it has a leader' : message;
}
