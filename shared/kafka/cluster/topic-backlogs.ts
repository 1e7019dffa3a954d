import type { TopicBacklogs } from '../../ports/message-bus.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createOffsetReader } from './offset-reader.ts';

export interface TopicBacklogsDeps {
  kafka: KafkaConnection;
  /** Group whose commits count as handled. */
  groupId: string;
  logger: Logger;
}

export function createTopicBacklogs(deps: TopicBacklogsDeps): TopicBacklogs & { close(): Promise<void> } {
  const { groupId, logger } = deps;
  const offsets = createOffsetReader(deps);
  return {
    unhandled: async (topics) => {
      const backlogs = new Map<string, number | null>(topics.map((topic) => [topic, null]));
      try {
        for (const [topic, partitions] of await offsets.read([...new Set(topics)])) {
          backlogs.set(
            topic,
            partitions.reduce((sum, { end, committed }) => sum + Math.max(0, end - committed), 0),
          );
        }
      } catch (error) {
        logger.debug({ err: error, groupId }, 'could not look at the backlog of topics');
      }
      return backlogs;
    },
    close: () => offsets.close(),
  };
}
