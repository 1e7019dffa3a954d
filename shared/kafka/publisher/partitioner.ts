import { Partitioners, type ICustomPartitioner, type Message } from 'kafkajs';
import type { Placement } from './placement.ts';

/**
 * Messages with a key go where every Kafka client would put them, those without where `placement` says.
 *
 * The choice is written into the message and kept. kafkajs asks again whenever it sends again, and then leaves out
 * brokers that have answered: a message that moves to such a broker's partition at the second attempt would be dropped
 * without a word.
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
