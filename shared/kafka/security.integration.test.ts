import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRecordingReceiver } from '../../test/support/recording-receiver.ts';
import { findFreePorts } from '../infrastructure/free-ports.ts';
import { createGuardian, type Guardian } from '../infrastructure/guarded-processes.ts';
import { startLocalKafka } from '../infrastructure/local-kafka.ts';
import { createKafka, type KafkaSecurity } from './client/connection.ts';
import { createBrokerCheck } from './cluster/broker-check.ts';
import { createConsumer } from './consumer/consumer.ts';
import { createPublisher } from './publisher/publisher.ts';

const run = promisify(execFile);
const logger = pino({ level: 'silent' });
const username = 'muster';
const password = 'only for this test';

/** Creates an authority that signed a certificate for the broker and one for a client, and another authority. */
async function makeCertificates(folder: string): Promise<void> {
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  for (const name of ['ca', 'stranger']) {
    await openssl(
      'req',
      '-x509',
      ...key,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
    );
  }
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\n');
  for (const name of ['broker', 'client']) {
    await openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
    await openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.pem`);
  }
  const store = ['broker.key', 'broker.pem', 'ca.pem'].map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  writeFileSync(join(folder, 'store.pem'), store);
}

/** Settings of a broker that requires TLS, a client certificate, and a user with a password on this listener. */
function secureListener(folder: string, port: number) {
  const login = 'org.apache.kafka.common.security';
  return {
    name: 'SECURE',
    protocol: 'SASL_SSL',
    port,
    properties: {
      'listener.name.secure.ssl.keystore.type': 'PEM',
      'listener.name.secure.ssl.keystore.location': join(folder, 'store.pem'),
      'listener.name.secure.ssl.truststore.type': 'PEM',
      'listener.name.secure.ssl.truststore.location': join(folder, 'ca.pem'),
      'listener.name.secure.ssl.client.auth': 'required',
      'listener.name.secure.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'listener.name.secure.plain.sasl.jaas.config': `${login}.plain.PlainLoginModule required user_${username}="${password}";`,
      'listener.name.secure.scram-sha-256.sasl.jaas.config': `${login}.scram.ScramLoginModule required;`,
      'listener.name.secure.scram-sha-512.sasl.jaas.config': `${login}.scram.ScramLoginModule required;`,
    },
    formatArguments: ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name=${username},password=${password}]`,
    ]),
  } as const;
}

describe('a Kafka cluster with TLS and authentication', () => {
  let guardian: Guardian;
  let broker: string;
  let folder: string;
  const pem = (name: string) => readFileSync(join(folder, name), 'utf8');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-kafka-security-'));
    guardian = createGuardian(folder);
    await makeCertificates(folder);
    const [port = 0] = await findFreePorts(1);
    broker = `127.0.0.1:${port}`;
    await startLocalKafka(
      { nodes: 1, listener: secureListener(folder, port) },
      { folder, environment: process.env, guardian, report: () => undefined },
    );
  }, 120_000);

  afterAll(() => guardian.end());

  function tls(): NonNullable<KafkaSecurity['tls']> {
    return { ca: pem('ca.pem'), cert: pem('client.pem'), key: pem('client.key') };
  }

  function clientWith(security: KafkaSecurity | undefined) {
    return createKafka({ brokers: [broker], clientId: 'security-test', logger, security });
  }

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)(
    'can be used with a certificate and a password (%s)',
    async (mechanism) => {
      const kafka = clientWith({ tls: tls(), sasl: { mechanism, username, password } });
      const topics = [{ topic: `secure.${mechanism}`, partitions: 1, replicationFactor: 1 }];
      const publisher = createPublisher({ kafka, logger, topics });
      await publisher.connect();
      await publisher.publish([{ topic: `secure.${mechanism}`, value: 'secret' }]);
      const consumer = createConsumer({ kafka, groupId: `secure.${mechanism}`, topics, logger });
      const receiver = createRecordingReceiver();
      await consumer.start(receiver);
      await receiver.first(1);
      await Promise.all([consumer.stop(), publisher.close()]);
      expect(receiver.values()).toEqual(['secret']);
    },
  );

  it('answers a check of the brokers with the same certificate and password', async () => {
    const sasl = { mechanism: 'scram-sha-256', username, password } as const;
    const read = createBrokerCheck({ kafka: clientWith({ tls: tls(), sasl }), brokers: [broker] });
    await read.require();
    await read.require();
    await read.close();
    const stranger = clientWith({ tls: tls(), sasl: { ...sasl, password: 'wrong' } });
    const refused = createBrokerCheck({ kafka: stranger, brokers: [broker] });
    await expect(refused.require()).rejects.toThrow(/authentication failed/i);
    await refused.close();
  });

  it.concurrent.each<[string, () => KafkaSecurity | undefined]>([
    ['uses no TLS', () => undefined],
    ['has no user', () => ({ tls: tls() })],
    ['has a wrong password', () => ({ tls: tls(), sasl: { mechanism: 'plain', username, password: 'wrong' } })],
    ['has no certificate', () => ({ tls: { ca: pem('ca.pem') }, sasl: { mechanism: 'plain', username, password } })],
  ])('refuses a client that %s', async (_, security) => {
    const admin = clientWith(security()).admin();
    await expect(admin.connect().then(() => admin.listTopics())).rejects.toThrow();
    await admin.disconnect();
  });

  it.concurrent('is rejected by a client that trusts another certificate authority', async () => {
    const security: KafkaSecurity = {
      tls: { ...tls(), ca: pem('stranger.pem') },
      sasl: { mechanism: 'plain', username, password },
    };
    await expect(clientWith(security).admin().connect()).rejects.toThrow(/certificate|self-signed/);
  });
});
