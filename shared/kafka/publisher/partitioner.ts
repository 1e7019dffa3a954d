import { Partitioners, type ICustomPartitioner, type Message } from 'kafkajs';
import type { Placement } from './placement.ts';

/**
 * Creates a partitioner. Messages with a key go to the same partition as with every Kafka client, those without a key
 * by `placement`.
 *
 * The choice is stored in the message and kept. kafkajs calls the partitioner again for each attempt, and then leaves
 * out brokers that have answered: a message that moves to such a broker's partition at the second attempt would be
 * dropped silently.
 */
export function createPartitioner(placement: Placement): ICustomPartitioner {
  return () => {
    const byKey = Partitioners.DefaultPartitioner();
    return ({ topic, partitionMetadata, message }) => {
      if (message.partition !== undefined) return message.partition;
      message.partition = hasKey(message)
        ? byKey({ topic, partitionMetadata, message })
        : placement.choose(
            topic,
            partitionMetadata.map(({ partitionId }) => partitionId),
          );
      return message.partition;
    };
  };
}

function hasKey({ key }: Message): boolean {
  return key !== undefined && key !== null;
}
