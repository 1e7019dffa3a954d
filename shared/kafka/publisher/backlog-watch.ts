import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createOffsetReader } from '../cluster/offset-reader.ts';
import type { Placement } from './placement.ts';

const readEveryMs = 1_000;
/** Milliseconds without publishing after which a topic is no longer checked. */
const inUseMs = 10_000;

/** Watch that updates a placement with the unhandled messages of topics in use; it costs nothing without use. */
export interface BacklogWatch {
  /** Reports that a message is about to be published to the topic. */
  use(topic: string): void;
  close(): Promise<void>;
}

export interface BacklogWatchDeps {
  kafka: KafkaConnection;
  groupId: string;
  placement: Placement;
  clock: Pick<Clock, 'monotonicMs'>;
  logger: Logger;
}

export function createBacklogWatch({ kafka, groupId, placement, clock, logger }: BacklogWatchDeps): BacklogWatch {
  const offsets = createOffsetReader({ kafka, groupId });
  const usedAtMs = new Map<string, number>();
  let reading: Promise<void> | undefined;
  let readAtMs = -Infinity;

  async function read(): Promise<void> {
    const sinceMs = clock.monotonicMs() - inUseMs;
    for (const [topic, atMs] of usedAtMs) if (atMs < sinceMs) usedAtMs.delete(topic);
    const ends = new Map(Array.from(usedAtMs.keys(), (topic) => [topic, placement.beginRead(topic)]));
    try {
      for (const [topic, partitions] of await offsets.read([...ends.keys()])) ends.get(topic)?.(partitions);
    } catch (error) {
      logger.debug({ err: error, groupId }, 'could not look at the backlog of topics, placing by what is known');
    }
  }

  return {
    use: (topic) => {
      const nowMs = clock.monotonicMs();
      usedAtMs.set(topic, nowMs);
      if (reading || nowMs - readAtMs < readEveryMs) return;
      readAtMs = nowMs;
      reading = read().finally(() => (reading = undefined));
    },
    close: async () => {
      await reading;
      await offsets.close();
    },
  };
}
