import { chmodSync, mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { aclsOf, type Acl } from '../../cli/installation/rights/acls.ts';
import { createClient, createJob } from '../../sdk/generated/sdk.gen.ts';
import { callsTopic } from '../../shared/domain/endpoint/call-topics.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { createGuardian, type Guardian } from '../../shared/infrastructure/guarded-processes.ts';
import { startLocalKafka } from '../../shared/infrastructure/local-kafka.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { workerGroup } from '../../shared/runtime/installation/installation-bus.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { violations } from '../support/evidence.ts';
import { rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const principals = ['api', 'scheduler', 'trigger', 'worker', 'dispatcher', 'topics', 'doctor', 'stranger'];
const password = 'only-for-this-test';
const topicPrefix = 'acls';
const logger = createLogger('acls', 'silent');
/** Errors of Kafka. A client without the right to see a topic or a group is told that it does not exist. */
const refused = /authori[sz]|topic without metadata|find group coordinator/i;

/**
 * The listener for the services authenticates its clients. The plain listener belongs to the operator, who has all
 * rights.
 */
async function startKafka(guardian: Guardian, folder: string) {
  const [port = 0] = await findFreePorts(1);
  const users = principals.map((name) => `user_muster-${name}="${password}"`).join(' ');
  const listener = {
    name: 'NAMED',
    protocol: 'SASL_PLAINTEXT',
    port,
    properties: {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
      'listener.name.named.sasl.enabled.mechanisms': 'PLAIN',
      'listener.name.named.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required ${users};`,
    },
  } as const;
  const report = () => undefined;
  const { brokers } = await startLocalKafka(
    { nodes: 1, listener },
    { folder, environment: process.env, guardian, report },
  );
  return { open: brokers.join(','), named: `127.0.0.1:${port}` };
}

function createdAcl({ principal, resource, name, pattern, operations }: Acl) {
  return operations.map((operation) => ({
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType: pattern === 'literal' ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED,
    principal: `User:${principal}`,
    host: '*',
    operation: AclOperationTypes[operation.toUpperCase() as Uppercase<typeof operation>],
    permissionType: AclPermissionTypes.ALLOW,
  }));
}

describe('the Kafka ACLs of muster grants --kafka', () => {
  let guardian: Guardian;
  let kafka: { open: string; named: string };
  let muster: Installation;
  let receiver: Server;
  let called: Promise<void>;
  let installationId = '';
  const calls = callsTopic(topicPrefix, 'local');

  const as = (principal: string) =>
    createKafka({
      brokers: [kafka.named],
      clientId: principal,
      logger,
      security: { sasl: { mechanism: 'plain', username: `muster-${principal}`, password } },
    });

  async function prepare(databaseUrl: string): Promise<void> {
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const { rows } = await database.query<{ id: string }>('select id from installation');
    await database.end();
    installationId = rows[0]?.id ?? '';
    const admin = createKafka({ brokers: kafka.open.split(','), clientId: 'operator', logger }).admin();
    await admin.connect();
    const acls = aclsOf({ prefix: 'muster', topicPrefix, installationId, regions: ['local'], targetTopics: [] });
    await admin.createAcls({ acl: acls.flatMap(createdAcl) });
    await admin.createTopics({ topics: [{ topic: calls, numPartitions: 4, replicationFactor: 1 }] });
    await admin.disconnect();
  }

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-acls-'));
    guardian = createGuardian(folder);
    chmodSync(folder, 0o755);
    kafka = await startKafka(guardian, folder);
    called = new Promise((resolve) => {
      receiver = createServer((_, response) => {
        response.end();
        resolve();
      }).listen(0, '127.0.0.1');
    });
    muster = await startInstallation({
      workers: 1,
      dispatchers: 1,
      topicPrefix,
      servers: { databaseUrl: inject('databaseUrl'), kafkaBrokers: kafka.open },
      alterDatabase: prepare,
      sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=1000' },
      engine: { KAFKA_BROKERS: kafka.named, KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: password },
      engineOf: Object.fromEntries(
        ['api', 'scheduler', 'trigger', 'worker-1', 'dispatcher-1'].map((name) => [
          name,
          { KAFKA_SASL_USERNAME: `muster-${name.replace(/-\d$/, '')}` },
        ]),
      ),
    });
  }, 120_000);

  afterAll(async () => {
    await muster.stop();
    receiver.close();
    await guardian.end();
  });

  it('permit the services to execute a campaign', async () => {
    const { api, countries } = muster;
    const runId = await api.run({ name: 'ACLs', countries, segment: 'lapsed-riders', chain: rewardThenMessage });
    await api.awaitEnd(runId);
    expect(violations(await muster.evidence(runId, 'lapsed-riders'))).toEqual([]);
  });

  it('permit the services to make callbacks', async () => {
    const { client } = muster.api;
    const { port } = receiver.address() as AddressInfo;
    const body = { name: 'orders', endpoint: { egress: { allow: [{ cidr: '127.0.0.0/8', port }] } } };
    await createClient({ client, body });
    const url = `http://127.0.0.1:${port}/`;
    await createJob({ client, body: { client: 'orders', idempotencyKey: 'once', delaySeconds: 0, url } });
    await called;
  });

  it('show the services as partition owners in the list of shards', async () => {
    // During a rebalance, no worker owns a partition.
    const shards = async () => (await muster.api.request('/v1/shards')).text();
    await vi.waitFor(async () => expect(await shards()).toContain('"worker":"worker@'), 60_000);
  });

  it.each([
    ['api', () => `${topicPrefix}.award-reward.SG`],
    ['dispatcher', () => calls],
    ['scheduler', () => `${topicPrefix}.award-reward.SG`],
    ['doctor', () => calls],
    ['topics', () => calls],
    ['stranger', () => calls],
  ])('prevent %s from publishing to foreign topics', async (principal, topic) => {
    const producer = as(principal).producer({ retry: { retries: 0 }, allowAutoTopicCreation: false });
    await producer.connect();
    await expect(producer.send({ topic: topic(), messages: [{ value: 'x' }] })).rejects.toThrow(refused);
    await producer.disconnect();
  });

  it.each(['api', 'scheduler', 'trigger', 'dispatcher', 'stranger'])(
    'prevent %s from joining the group of the workers',
    async (principal) => {
      const consumer = as(principal).consumer({
        groupId: workerGroup(topicPrefix, installationId),
        retry: { retries: 0 },
      });
      await consumer.connect();
      const topic = `${topicPrefix}.award-reward.SG`;
      const joined = (async () => {
        await consumer.subscribe({ topics: [topic] });
        await new Promise<void>((resolve, reject) => {
          consumer.on('consumer.crash', ({ payload }) => {
            reject(payload.error);
          });
          consumer.on('consumer.group_join', () => {
            resolve();
          });
          void consumer.run({ eachMessage: () => Promise.resolve() }).catch(reject);
        });
      })();
      await expect(joined).rejects.toThrow(refused);
      await consumer.disconnect();
    },
  );

  it.each(['api', 'scheduler', 'trigger', 'worker', 'dispatcher', 'doctor'])(
    'prevent %s from creating topics',
    async (principal) => {
      const admin = as(principal).admin();
      await admin.connect();
      const wanted = { topic: `${topicPrefix}.more`, numPartitions: 1, replicationFactor: 1 };
      await expect(admin.createTopics({ topics: [wanted] })).rejects.toThrow();
      await admin.disconnect();
    },
  );

  it('hide all topics from a stranger', async () => {
    const admin = as('stranger').admin();
    await admin.connect();
    expect(await admin.listTopics()).toEqual([]);
    await admin.disconnect();
  });
});
