import type { Message, ProducerBatch, RecordMetadata } from 'kafkajs';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { PublishError } from '../../ports/message-bus.ts';
import { createKafka, type KafkaConnection } from '../client/connection.ts';
import { createPublisher, type Publisher } from './publisher.ts';

const logger = pino({ level: 'silent' });
const partitions = 3;

interface Request {
  values: string[];
  answer: () => void;
  refuse: (error: Error) => void;
}

/**
 * kafkajs up to the wire: partitions are chosen by the producer's own partitioner, and each request waits until the
 * test answers it, with an acknowledgement for every partition that `acknowledged` lets through.
 */
function createWire(acknowledged: (partition: number) => boolean = () => true) {
  const requests: Request[] = [];
  let arrived: () => void = () => undefined;
  const real = createKafka({ brokers: ['127.0.0.1:1'], clientId: 'test', logger });

  const kafka: KafkaConnection = {
    ...real,
    producer: (config) => {
      const choose = config.createPartitioner?.();
      const partitionOf = (topic: string, message: Message) =>
        choose?.({
          topic,
          message,
          partitionMetadata: Array.from({ length: partitions }, (_, id) => metadataOf(id)),
        }) ?? 0;
      return {
        ...real.producer(config),
        connect: () => Promise.resolve(),
        disconnect: () => Promise.resolve(),
        sendBatch: ({ topicMessages = [] }: ProducerBatch) =>
          new Promise((resolve, reject) => {
            const sent = topicMessages.flatMap(({ topic, messages }) =>
              messages.map((message) => ({
                topic,
                partition: partitionOf(topic, message),
                value: String(message.value),
              })),
            );
            const answer = sent.filter(({ partition }) => acknowledged(partition)).map(acknowledgement);
            requests.push({ values: sent.map(({ value }) => value), answer: () => resolve(answer), refuse: reject });
            arrived();
          }),
      };
    },
  };

  async function request(index: number): Promise<Request> {
    for (;;) {
      const found = requests[index];
      if (found) return found;
      await new Promise<void>((resolve) => (arrived = resolve));
    }
  }

  let nowMs = 0;
  const clock = { sleep: () => Promise.resolve(), monotonicMs: () => nowMs };
  return {
    publisher: createPublisher({ kafka, logger, clock }),
    request,
    requests,
    advance: (ms: number) => (nowMs += ms),
  };
}

function metadataOf(partitionId: number) {
  return { partitionId, partitionErrorCode: 0, leader: 1, replicas: [1], isr: [1] };
}

function acknowledgement({ topic, partition }: { topic: string; partition: number }): RecordMetadata {
  return { topicName: topic, partition, errorCode: 0 };
}

function message(value: string, topic = 't') {
  return { topic, value };
}

/** Lets topic `one` fail as often as the publisher retries. */
async function givenUp(publisher: Publisher, request: (index: number) => Promise<Request>): Promise<void> {
  const failed = expect(publisher.publish([message('bad', 'one')])).rejects.toThrow(PublishError);
  for (let i = 0; i < 3; i++) (await request(i)).refuse(new Error('no such topic'));
  await failed;
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('the publisher', () => {
  it('sends messages that are published together in one request', async () => {
    const { publisher, request, requests } = createWire();
    const published = Promise.all(['a', 'b', 'c'].map((value) => publisher.publish([message(value)])));
    (await request(0)).answer();
    await published;
    expect(requests.map(({ values }) => values)).toEqual([['a', 'b', 'c']]);
  });

  it('fails its check if a sent message is not acknowledged within ten seconds', async () => {
    const { publisher, request, advance } = createWire();
    const published = publisher.publish([message('a')]);
    const onItsWay = await request(0);
    advance(9_999);
    publisher.requireAnswers();
    advance(3_001);
    expect(() => publisher.requireAnswers()).toThrow('no broker has acknowledged a message for 13 s');
    onItsWay.answer();
    await published;
    publisher.requireAnswers();
  });

  it('collects messages for the next request while one is in flight', async () => {
    const { publisher, request, requests } = createWire();
    const first = publisher.publish([message('a')]);
    const onItsWay = await request(0);
    const others = Promise.all([publisher.publish([message('b')]), publisher.publish([message('c')])]);
    onItsWay.answer();
    (await request(1)).answer();
    await Promise.all([first, others]);
    expect(requests.map(({ values }) => values)).toEqual([['a'], ['b', 'c']]);
  });

  it('splits messages that are too large for one request', async () => {
    const { publisher, request } = createWire();
    const published = publisher.publish(['a', 'b', 'c', 'd', 'e'].map((letter) => message(letter.repeat(40_000))));
    const sizes: number[] = [];
    for (let i = 0; i < 3; i++) {
      const { values, answer } = await request(i);
      sizes.push(values.length);
      answer();
    }
    await published;
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('fails a publish if the answer lacks a partition', async () => {
    const { publisher, request } = createWire((partition) => partition !== 1);
    const published = publisher.publish(['a', 'b', 'c'].map((value) => message(value)));
    const failed = expect(published).rejects.toThrow(PublishError);
    for (let i = 0; i < 3; i++) (await request(i)).answer();
    await failed;
  });

  it('sends refused messages again, in a separate request per topic', async () => {
    const { publisher, request } = createWire();
    const published = publisher.publish([message('a', 'one'), message('b', 'two')]);
    (await request(0)).refuse(new Error('not now'));
    const again = [await request(1), await request(2)];
    for (const { answer } of again) answer();
    await published;
    expect(again.map(({ values }) => values)).toEqual([['a'], ['b']]);
  });

  it('fails only the calls whose topic cannot be published to', async () => {
    const { publisher, request } = createWire();
    const bad = publisher.publish([message('bad', 'one')]);
    const good = publisher.publish([message('good', 'two')]);
    const failed = expect(bad).rejects.toThrow('could not publish to one: no such topic');
    (await request(0)).refuse(new Error('no such topic'));
    for (let i = 1; i <= 3; i++) {
      const { values, answer, refuse } = await request(i);
      if (values.includes('bad')) refuse(new Error('no such topic'));
      else answer();
    }
    await Promise.all([failed, good]);
  });

  it('names only the failed topics in its error', async () => {
    const { publisher, request } = createWire();
    const failure = publisher.publish([message('bad', 'one'), message('good', 'two')]).catch((error: unknown) => error);
    (await request(0)).refuse(new Error('no such topic'));
    for (let i = 1; i <= 3; i++) {
      const { values, answer, refuse } = await request(i);
      if (values.includes('bad')) refuse(new Error('no such topic'));
      else answer();
    }
    const error = await failure;
    expect(error instanceof PublishError && error.topics).toEqual(['one']);
    expect(publisher.failures()).toEqual(new Map([['one', 1]]));
  });

  it('fails fast for a topic that has just failed, and publishes to other topics meanwhile', async () => {
    const { publisher, request, requests } = createWire();
    await givenUp(publisher, request);
    const before = requests.length;
    await expect(publisher.publish([message('again', 'one')])).rejects.toThrow('could not publish to one');
    expect(requests).toHaveLength(before);
    const other = publisher.publish([message('good', 'two')]);
    (await request(before)).answer();
    await other;
  });

  it('sends one message to a failed topic from time to time, and all messages once one succeeds', async () => {
    const { publisher, request, requests, advance } = createWire();
    await givenUp(publisher, request);
    advance(500);
    const probe = publisher.publish([message('probe', 'one')]).catch(() => undefined);
    const second = publisher.publish([message('second', 'one')]);
    await expect(second).rejects.toThrow(PublishError);
    (await request(3)).answer();
    await probe;
    await settled();
    const third = publisher.publish([message('third', 'one')]);
    (await request(4)).answer();
    await third;
    expect(requests.slice(3).map(({ values }) => values)).toEqual([['probe'], ['third']]);
  });

  it('sends further messages of a topic only after its retry has succeeded', async () => {
    const { publisher, request, requests } = createWire();
    const first = publisher.publish([message('a', 'one')]);
    (await request(0)).refuse(new Error('not now'));
    const again = await request(1);
    const meanwhile = publisher.publish([message('b', 'one')]);
    const other = publisher.publish([message('c', 'two')]);
    (await request(2)).answer();
    await other;
    again.answer();
    (await request(3)).answer();
    await Promise.all([first, meanwhile]);
    expect(requests.map(({ values }) => values)).toEqual([['a'], ['a'], ['c'], ['b']]);
  });

  it('sends messages again that failed during a retry of their topic, once the retry has succeeded', async () => {
    const { publisher, request, requests } = createWire();
    const first = publisher.publish([message('a', 'one')]);
    const onItsWay = await request(0);
    const second = publisher.publish([message('b', 'one')]);
    onItsWay.refuse(new Error('not now'));
    const both = [await request(1), await request(2)];
    for (const { values, refuse } of both) if (values.includes('b')) refuse(new Error('not now'));
    await settled();
    for (const { values, answer } of both) if (values.includes('a')) answer();
    (await request(3)).answer();
    await Promise.all([first, second]);
    expect(requests.map(({ values }) => values).sort()).toEqual([['a'], ['a'], ['b'], ['b']]);
  });

  it('fails messages that failed during a retry of their topic if the retry fails', async () => {
    const { publisher, request } = createWire();
    const first = publisher.publish([message('a', 'one')]);
    const onItsWay = await request(0);
    const second = publisher.publish([message('b', 'one')]);
    const failed = Promise.all([first, second].map((each) => expect(each).rejects.toThrow('no such topic')));
    onItsWay.refuse(new Error('not now'));
    for (let i = 1; i <= 3; i++) (await request(i)).refuse(new Error('no such topic'));
    await failed;
  });

  it('doubles its waiting time after a failed probe', async () => {
    const { publisher, request, requests, advance } = createWire();
    await givenUp(publisher, request);
    advance(500);
    const probe = publisher.publish([message('probe', 'one')]).catch(() => undefined);
    (await request(3)).refuse(new Error('no such topic'));
    await probe;
    await settled();
    advance(999);
    await expect(publisher.publish([message('early', 'one')])).rejects.toThrow(PublishError);
    advance(1);
    const next = publisher.publish([message('next', 'one')]).catch(() => undefined);
    (await request(4)).answer();
    await next;
    expect(requests.slice(3).map(({ values }) => values)).toEqual([['probe'], ['next']]);
  });

  it('completes all pending calls before it is closed', async () => {
    const { publisher, request } = createWire();
    let published = false;
    const publishing = publisher.publish([message('a')]).then(() => (published = true));
    const closing = publisher.close().then(() => published);
    (await request(0)).answer();
    expect(await closing).toBe(true);
    await publishing;
  });

  it('sends no request for an empty list of messages', async () => {
    const { publisher, requests } = createWire();
    await publisher.publish([]);
    expect(requests).toEqual([]);
  });
});
