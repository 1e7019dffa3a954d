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
/** Lifetime of the heartbeat: longer than any turn, so that one heartbeat is enough. */
const aliveMs = 3_600_000;
/**
 * Capacity reported to the schedulers. Schedulers offer only as many jobs as dispatchers report capacity for, so a high
 * number makes them offer all.
 */
const credit = { toAnyClient: 100_000_000, toClients: {} };

/** Acts as a dispatcher: receives all offered jobs, and records how late each job appeared on the topic. */
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
  /** Lag in milliseconds by job id. Only the first appearance of a job counts. */
  const lags = new Map<string, number>();
  /** Beginning of the current turn. Jobs that were due earlier belong to an earlier turn. */
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
    /** Resolves with all lags in milliseconds when `jobs` jobs have arrived. */
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
