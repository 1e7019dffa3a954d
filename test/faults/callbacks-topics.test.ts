import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { createClientEndpoint, createJobs } from '../../sdk/generated/sdk.gen.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { lasting, until } from './support/until.ts';

let trial: CallbackTrial;
afterEach(() => trial.end());

const jobs = 1000;
const topic = `others.${randomUUID()}`;
const logger = createLogger('topics', 'silent');
const kafka = () => createKafka({ brokers: inject('kafkaBrokers').split(','), clientId: 'topics', logger });
const ended = () => trial.database.count(`select 1 from ended_jobs where outcome = 'called'`);

async function createTopic(): Promise<void> {
  const admin = kafka().admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 3, replicationFactor: 1 }] });
  await admin.disconnect();
}

/** Returns the job ids of all messages on the topic, with repetitions. */
async function written(): Promise<string[]> {
  const consumer = kafka().consumer({ groupId: randomUUID() });
  const ids: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachMessage: ({ message }) => {
      ids.push(String(message.headers?.['webhook-id']));
      return Promise.resolve();
    },
  });
  await until('all are read', () => new Set(ids).size >= jobs);
  await consumer.disconnect();
  return ids;
}

describe('row 35: jobs whose endpoint is a topic while dispatchers are killed', () => {
  it('are each written to the topic, and more than once only if a killed dispatcher had claimed them', async () => {
    await createTopic();
    trial = await startCallbackTrial({ engine: { DISPATCHER_TARGET_TOPICS: 'others.*' } });
    await trial.addClient('events', { concurrency: 10, publishRatePerSecond: 150 });
    const endpoint = { name: 'orders', url: `kafka:${topic}` };
    await createClientEndpoint({ client: trial.client, path: { id: 'events' }, body: endpoint });
    await lasting(1500);
    const wanted = Array.from({ length: jobs }, (_, order) => ({ endpoint: 'orders', body: { order } }));
    const answer = (await createJobs({ client: trial.client, body: { client: 'events', jobs: wanted } })).data;
    const ids = answer.results.flatMap((result) => ('id' in result ? result.id : []));
    expect(ids).toHaveLength(jobs);
    let inHands = 0;
    for (const [round, name] of ['dispatcher-1', 'dispatcher-2', 'dispatcher-1'].entries()) {
      await until('more have ended', async () => (await ended()) >= 200 * (round + 1));
      inHands += await trial.database.count('select 1 from job_claims');
      await trial.kill(name);
      await trial.restart(name);
    }
    await trial.awaitEnded(120_000);
    const found = await written();
    expect(new Set(found)).toEqual(new Set(ids));
    expect(await ended()).toBe(jobs);
    expect(found.length - jobs).toBeLessThanOrEqual(inHands + 60);
  });
});
