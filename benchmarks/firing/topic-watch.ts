import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import { jobReferences } from '../../shared/contracts/messages/job-references.ts';
import { createConsumer } from '../../shared/kafka/consumer/consumer.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createJobNodes } from '../../shared/postgres/jobs/job-nodes.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { callsFetch } from '../../services/dispatcher/config.ts';
import type { Firing } from './installation.ts';

const pollMs = 50;
const owner = 'topic-watch';
/** Longer than any turn, so that one beat is enough. */
const aliveMs = 3_600_000;
/** Schedulers offer what dispatchers say they take: all there is. */
const credit = { toAnyClient: 100_000_000, toClients: {} };

/** Stands in for dispatchers: takes whatever is offered, and notes how late each job came onto the topic. */
export async function watchTopic({ databaseUrl, brokers, topic, group, region, partitions }: Firing) {
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
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  const nodes = createJobNodes({ pool });
  await nodes.beat({ owner, kind: 'dispatcher', region, figures: {}, credit }, aliveMs);
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
    isCrowded: () => false,
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
    stop: async () => {
      await consumer.stop();
      await nodes.leave(owner);
      await pool.end();
    },
  };
}
