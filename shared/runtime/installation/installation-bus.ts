import type { Clock } from '../../ports/clock.ts';
import type { LaneMessage, LaneReceiver, MessageConsumer, MessagePublisher } from '../../ports/message-bus.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Logger } from '../logger.ts';
import { consumerMetrics } from '../meter/process-metrics.ts';

/** Start of every message: its installation can be identified without parsing the rest. */
const beginning = '{"installation":"';

/** Returns the consumer group of an installation's workers. Installations on the same topics have separate groups. */
export function workerGroup(topicPrefix: string, installationId: string): string {
  return `${topicPrefix}.worker.${installationId}`;
}

export function dispatcherGroup(topicPrefix: string, region: string, installationId: string): string {
  return `${topicPrefix}.dispatcher.${region}.${installationId}`;
}

/** Adds the installation's id as the first field. Values have to be JSON objects with at least one field. */
export function ownPublisher(publisher: MessagePublisher, installationId: string): MessagePublisher {
  const start = `${beginning}${installationId}",`;
  return {
    publish: (messages) =>
      publisher.publish(messages.map((message) => ({ ...message, value: start + message.value.slice(1) }))),
  };
}

export interface OwnConsumerDeps {
  consumer: MessageConsumer;
  installationId: string;
  meter: Meter;
  clock: Pick<Clock, 'monotonicMs'>;
  logger: Logger;
}

const warnEveryMs = 60_000;

/**
 * Filters out messages of other installations: they are settled and counted here, and the receiver never gets them.
 * Messages without an installation are delivered: the receiver judges them.
 */
export function ownConsumer({ consumer, installationId, meter, clock, logger }: OwnConsumerDeps): MessageConsumer {
  const own = Buffer.from(`${beginning}${installationId}"`);
  const any = Buffer.from(beginning);
  const foreign = meter.counter(consumerMetrics.foreign).of({});
  let sinceWarned = 0;
  let warnedMs = -Infinity;

  const begins = (value: Buffer, text: Buffer) =>
    value.compare(text, 0, text.length, 0, Math.min(text.length, value.length)) === 0;
  const isForeign = ({ value }: LaneMessage) => value !== null && begins(value, any) && !begins(value, own);

  function leave(messages: readonly LaneMessage[]): void {
    for (const message of messages) consumer.settle(message);
    foreign.add(messages.length);
    sinceWarned += messages.length;
    const nowMs = clock.monotonicMs();
    if (nowMs - warnedMs < warnEveryMs) return;
    const topic = messages[0]?.lane.topic;
    logger.warn(
      { topic, messages: sinceWarned, installationId },
      'another installation uses these topics: give it a prefix of its own',
    );
    warnedMs = nowMs;
    sinceWarned = 0;
  }

  const filtering = (receiver: LaneReceiver): LaneReceiver => ({
    deliver: (lane, messages) => {
      // Foreign messages are rare: usually nothing is copied.
      const others = messages.some(isForeign) ? messages.filter(isForeign) : [];
      if (others.length === 0) {
        receiver.deliver(lane, messages);
        return;
      }
      const ours = messages.filter((message) => !others.includes(message));
      if (ours.length > 0) receiver.deliver(lane, ours);
      leave(others);
    },
    revoke: (lane) => receiver.revoke(lane),
    isCrowded: () => receiver.isCrowded(),
  });

  return {
    start: (receiver) => consumer.start(filtering(receiver)),
    subscribe: (topics) => consumer.subscribe(topics),
    settle: (message) => consumer.settle(message),
    stopIntake: () => consumer.stopIntake(),
    stop: () => consumer.stop(),
    ready: () => consumer.ready(),
    stats: () => consumer.stats(),
    crashed: consumer.crashed,
  };
}
