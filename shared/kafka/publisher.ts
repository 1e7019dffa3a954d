import type { Message, Producer, RecordMetadata } from 'kafkajs';
import type { Clock } from '../ports/clock.ts';
import { PublishError, type MessagePublisher, type OutgoingMessage } from '../ports/message-bus.ts';
import type { Logger } from '../runtime/logger.ts';
import { systemClock } from '../runtime/system-clock.ts';
import type { KafkaConnection } from './connection.ts';
import { createSpread } from './spread.ts';

export interface PublisherDeps {
  kafka: KafkaConnection;
  logger: Logger;
  /** After how long partitions that were added are noticed. */
  metadataMaxAgeMs?: number;
  clock?: Pick<Clock, 'sleep'>;
}

export interface Publisher extends MessagePublisher {
  connect(): Promise<void>;
  /** Resolves when what was given to `publish` has been answered and the connections are closed. Safe to call twice. */
  close(): Promise<void>;
}

/** Some messages of one `publish`, few enough for one request. */
interface Parcel {
  messages: OutgoingMessage[];
  resolve: () => void;
  reject: (error: PublishError) => void;
}

/** Half of what brokers take by default (1 MiB in one partition), for messages carry headers too. */
const maxRequestBytes = 512 * 1024;
const maxParcelBytes = maxRequestBytes / 2;

/** Pauses before the attempts that follow the first. With those that kafkajs makes within each it takes seconds, not minutes. */
const retryPausesMs = [200, 800];

/**
 * All `publish` calls that come while a request is on its way leave together in the next one. When a request fails, each of its topics is
 * tried again alone, through a new producer, beside what follows: a topic that is gone must not hold up the others.
 */
export function createPublisher(deps: PublisherDeps): Publisher {
  const { kafka, logger, metadataMaxAgeMs = 30_000, clock = systemClock } = deps;
  // Kept over all producers, so that the turn goes on where it was.
  const createPartitioner = createSpread();
  const waiting: Parcel[] = [];
  const working = new Set<Promise<void>>();
  let producer: Promise<Producer> | undefined;
  let sending = false;

  async function open(): Promise<Producer> {
    const opened = kafka.producer({
      createPartitioner,
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

  /**
   * A producer that failed is left: it may hold on to metadata that is not true any more, and one that has known a topic which has been
   * deleted since cannot read any metadata at all.
   */
  function leave(failed: Promise<Producer>): void {
    if (producer !== failed) return;
    producer = undefined;
    void failed.then((opened) => opened.disconnect()).catch(() => undefined);
  }

  async function send(messages: readonly OutgoingMessage[]): Promise<void> {
    const used = current();
    try {
      await sendCovered(await used, messages);
    } catch (error) {
      leave(used);
      throw error;
    }
  }

  async function sendAgain(
    topic: string,
    messages: readonly OutgoingMessage[],
    cause: unknown,
  ): Promise<PublishError | null> {
    let last = cause;
    for (const pauseMs of retryPausesMs) {
      logger.warn({ err: last, topic, messages: messages.length }, 'could not publish, trying again');
      await clock.sleep(pauseMs);
      try {
        await send(messages);
        return null;
      } catch (error) {
        last = error;
      }
    }
    return new PublishError(`could not publish to ${topic}: ${messageOf(last)}`, { cause: last });
  }

  /** Never rejects: each parcel hears what became of its own topics. */
  async function recover(parcels: readonly Parcel[], cause: unknown): Promise<void> {
    const byTopic = Map.groupBy(
      parcels.flatMap(({ messages }) => messages),
      ({ topic }) => topic,
    );
    const failures = new Map<string, PublishError | null>();
    await Promise.all(
      Array.from(byTopic, async ([topic, messages]) => {
        failures.set(topic, await sendAgain(topic, messages, cause));
      }),
    );
    for (const { messages, resolve, reject } of parcels) {
      const failed = messages.find(({ topic }) => failures.get(topic));
      const error = failed && failures.get(failed.topic);
      if (error) reject(error);
      else resolve();
    }
  }

  async function sendWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const parcels = takeRequest(waiting);
      try {
        await send(parcels.flatMap(({ messages }) => messages));
        for (const { resolve } of parcels) resolve();
      } catch (error) {
        track(recover(parcels, error));
      }
    }
    sending = false;
  }

  function track(work: Promise<void>): void {
    working.add(work);
    void work.finally(() => working.delete(work));
  }

  function enqueue(messages: OutgoingMessage[]): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ messages, resolve, reject });
      if (sending) return;
      sending = true;
      // Not at once: what else is published in this turn of the event loop goes along.
      track(new Promise((begin) => setImmediate(begin)).then(sendWaiting));
    });
  }

  return {
    connect: async () => {
      const used = current();
      await used.catch((error: unknown) => {
        leave(used);
        throw error;
      });
    },
    publish: async (messages) => {
      await Promise.all(parcelsOf(messages).map(enqueue));
    },
    close: async () => {
      while (working.size > 0) await Promise.all(working);
      const opened = producer;
      producer = undefined;
      await (await opened?.catch(() => undefined))?.disconnect();
    },
  };
}

/**
 * kafkajs resolves as if all were well when it has dropped messages for partitions that its metadata does not know: only what the answer
 * names has been sent.
 */
async function sendCovered(producer: Producer, messages: readonly OutgoingMessage[]): Promise<void> {
  const byTopic = new Map<string, Message[]>();
  for (const { topic, key, value } of messages) {
    const message: Message = key === undefined ? { value } : { key, value };
    const ofTopic = byTopic.get(topic);
    if (ofTopic) ofTopic.push(message);
    else byTopic.set(topic, [message]);
  }
  const topicMessages = Array.from(byTopic, ([topic, ofTopic]) => ({ topic, messages: ofTopic }));
  const answer = await producer.sendBatch({ acks: -1, topicMessages });
  const covered = new Set(answer.filter(({ errorCode }) => errorCode === 0).map(partitionOf));
  for (const { topic, messages: ofTopic } of topicMessages) {
    const dropped = ofTopic.find(({ partition }) => !covered.has(`${topic}/${partition ?? 'none'}`));
    if (dropped) throw new Error(`no acknowledgement from partition ${dropped.partition ?? 'none'} of ${topic}`);
  }
}

function partitionOf({ topicName, partition }: RecordMetadata): string {
  return `${topicName}/${partition}`;
}

function parcelsOf(messages: readonly OutgoingMessage[]): OutgoingMessage[][] {
  const parcels: OutgoingMessage[][] = [];
  let room = -1;
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.value);
    room -= bytes;
    if (room < 0) {
      parcels.push([]);
      room = maxParcelBytes - bytes;
    }
    parcels.at(-1)?.push(message);
  }
  return parcels;
}

/** Takes from the front what fits into one request, at least one parcel. */
function takeRequest(waiting: Parcel[]): Parcel[] {
  let bytes = 0;
  let count = 0;
  for (const { messages } of waiting) {
    for (const { value } of messages) bytes += Buffer.byteLength(value);
    if (count > 0 && bytes > maxRequestBytes) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
