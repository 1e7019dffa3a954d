import { setTimeout as wait } from 'node:timers/promises';
import { jobReferences } from '../../shared/contracts/messages/job-references.ts';
import { createConsumer } from '../../shared/kafka/consumer/consumer.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { callsFetch } from '../../services/dispatcher/config.ts';
import type { Firing } from './installation.ts';

const pollMs = 50;

/** Reads the topic in place of dispatchers, and notes how late each job came onto it. */
export async function watchTopic({ brokers, topic, group, partitions }: Firing) {
  const logger = createLogger('bench', 'error');
  const kafka = createKafka({ brokers: [...brokers], clientId: 'bench', logger });
  const consumer = createConsumer({
    kafka,
    groupId: group,
    fetch: callsFetch,
    topics: [{ topic, partitions, replicationFactor: 1 }],
    logger,
  });
  /** By job: the first time counts. */
  const lags = new Map<string, number>();
  /** What was due before is of an earlier turn. */
  let sinceMs = Date.now();
  await consumer.start({
    deliver: (_lane, messages) => {
      const nowMs = Date.now();
      for (const message of messages) {
        const { jobs } = jobReferences.parse(JSON.parse(message.value?.toString() ?? ''));
        for (const [, dueUs, jobId] of jobs) {
          const dueMs = dueUs / 1000;
          if (dueMs >= sinceMs && !lags.has(jobId)) lags.set(jobId, nowMs - dueMs);
        }
        consumer.settle(message);
      }
    },
    revoke: () => undefined,
  });

  return {
    beginAnew: () => {
      lags.clear();
      sinceMs = Date.now();
    },
    /** Resolves with all lags in milliseconds when so many jobs have come. */
    collect: async (jobs: number, withinMs: number): Promise<number[]> => {
      const giveUpAt = performance.now() + withinMs;
      while (lags.size < jobs) {
        if (performance.now() > giveUpAt) throw new Error(`only ${lags.size} of ${jobs} jobs came onto the topic`);
        await wait(pollMs);
      }
      return [...lags.values()];
    },
    stop: () => consumer.stop(),
  };
}
