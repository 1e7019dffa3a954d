import type { Message, Producer, RecordMetadata } from 'kafkajs';
import type { OutgoingMessage } from '../../ports/message-bus.ts';

/**
 * Sends messages. kafkajs resolves as if it had succeeded when it has dropped messages for partitions missing in its
 * metadata. Only messages whose partition the answer names have been sent.
 * @throws if a message was not acknowledged
 */
export async function sendCovered(producer: Producer, outgoing: readonly OutgoingMessage[]): Promise<void> {
  const byTopic = new Map<string, Message[]>();
  for (const { topic, key, value } of outgoing) {
    const message: Message = key === undefined ? { value } : { key, value };
    const ofTopic = byTopic.get(topic);
    if (ofTopic) ofTopic.push(message);
    else byTopic.set(topic, [message]);
  }
  const topicMessages = Array.from(byTopic, ([topic, messages]) => ({ topic, messages }));
  const answer = await producer.sendBatch({ acks: -1, topicMessages });
  const covered = new Set(answer.filter(({ errorCode }) => errorCode === 0).map(partitionOf));
  for (const { topic, messages } of topicMessages) {
    const dropped = messages.find(({ partition }) => !covered.has(`${topic}/${partition ?? 'none'}`));
    if (dropped) throw new Error(`no acknowledgement from partition ${dropped.partition ?? 'none'} of ${topic}`);
  }
}

function partitionOf({ topicName, partition }: RecordMetadata): string {
  return `${topicName}/${partition}`;
}
