import { Partitioners, type ICustomPartitioner, type Message } from 'kafkajs';

/**
 * Messages with a key go where every Kafka client would put them, those without in turn over the partitions.
 *
 * The choice is written into the message and kept. kafkajs asks again whenever it sends again, and then leaves out brokers that have
 * answered: a message that moves to such a broker's partition at the second attempt would be dropped without a word.
 */
export function createSpread(): ICustomPartitioner {
  const next = new Map<string, number>();

  return () => {
    const byKey = Partitioners.DefaultPartitioner();
    return ({ topic, partitionMetadata, message }) => {
      if (message.partition !== undefined) return message.partition;
      if (hasKey(message)) return (message.partition = byKey({ topic, partitionMetadata, message }));
      const turn = next.get(topic) ?? 0;
      next.set(topic, turn + 1);
      return (message.partition = partitionMetadata[turn % partitionMetadata.length]?.partitionId ?? 0);
    };
  };
}

function hasKey({ key }: Message): boolean {
  return key !== undefined && key !== null;
}
