import { once } from 'node:events';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authPlace, type StoredClientAuth } from '../../shared/contracts/jobs/client-auth.ts';
import { clientOf, newClientOf } from '../../test/support/clients.ts';
import { createHostNames } from '../../shared/http-client/host-names.ts';
import { createSecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';
import { clientSnapshotOf } from '../../shared/runtime/installation/client-reader.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { certificateFor, type Pair } from '../../test/support/certificates.ts';
import { clientIdOf } from '../../test/support/conformance/job-subject.ts';
import { createClientDirectory } from './client-directory.ts';
import { createCallbackEndpoint } from './http/callback-endpoint.ts';

const box = createSecretBox([Buffer.alloc(32, 7)]);
const clientId = clientIdOf(1);
let pairs: { server: Pair; client: Pair; stranger: Pair };
let origins: [string, string];
const closing: (() => unknown)[] = [];

/**
 * Starts an HTTPS receiver that accepts only the given client certificate, and returns the certificate's name in its
 * answers.
 */
async function startReceiver({ server, client }: { server: Pair; client: Pair }): Promise<string> {
  const terms = { cert: server.certificate, key: server.key, ca: client.certificate };
  const receiver = createServer({ ...terms, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    response.end(String(subject.CN));
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  closing.push(() => receiver.close());
  const address = receiver.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return `https://127.0.0.1:${address.port}`;
}

beforeAll(async () => {
  const [server, client, stranger] = await Promise.all(['127.0.0.1', 'shop', 'stranger'].map(certificateFor));
  if (!server || !client || !stranger) throw new Error('there are too few certificates');
  pairs = { server, client, stranger };
  origins = [await startReceiver(pairs), await startReceiver(pairs)];
});
afterAll(async () => {
  for (const close of closing) await close();
});

function storedAuth({ certificate, key }: Pair): StoredClientAuth {
  const sentTo = [origins[0]];
  const sealed = { ...box.seal(key, authPlace(clientId, 'key', sentTo)), length: key.length };
  const times = { changedAt: '2026-01-01T00:00:00.000Z', validUntil: '2026-01-03T00:00:00.000Z' };
  return { kind: 'mtls', origins: sentTo, ...times, certificate, ca: pairs.server.certificate, key: sealed };
}

function termsOf(auth: StoredClientAuth, secretBox = box) {
  const terms = { egress: { allow: [{ cidr: '127.0.0.0/8' }] } };
  const client = clientOf(newClientOf('shop', { clientId, terms }), new Date(), { auth });
  const directory = createClientDirectory({
    reader: { current: () => clientSnapshotOf(1, [client]) },
    secretBox,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    tokenEndpoint: { call: () => expect.unreachable('no token is asked for') },
  });
  const ofClient = directory.termsOf(clientId);
  if (!ofClient) throw new Error('there is no such client');
  return ofClient;
}

async function called(auth: StoredClientAuth, origin: string) {
  const names = createHostNames({ clock: systemClock });
  const endpoint = createCallbackEndpoint({ clock: systemClock, names, installation: readInstallationEgress({}) });
  const { limits } = termsOf(auth);
  const call = { limits, method: 'POST', origin, path: '/', headers: [], body: null, notAfterMs: Infinity };
  const answers = await Promise.all([endpoint.call(call), endpoint.call(call)]);
  await endpoint.close();
  return answers.map((answer) => (answer.kind === 'answered' ? answer.body.toString() : answer.kind));
}

it('"a client certificate is sent to the servers that its client configured, and to no other server"', async () => {
  expect(await called(storedAuth(pairs.client), origins[0])).toEqual(['shop', 'shop']);
  expect(await called(storedAuth(pairs.client), origins[1])).toEqual(['unanswered', 'unanswered']);
});

it('a call with a certificate that the receiver does not trust is not answered', async () => {
  expect(await called(storedAuth(pairs.stranger), origins[0])).toEqual(['unanswered', 'unanswered']);
});

it('a call is not sent if the key of its client certificate cannot be decrypted', async () => {
  const { auth, limits } = termsOf(storedAuth(pairs.client), createSecretBox([]));
  expect(auth).toMatchObject({ isForAll: true, origins: new Set([origins[0]]) });
  const cause = 'the credentials of its endpoint cannot be opened: no-key';
  expect(await auth?.authorization()).toEqual({ kind: 'unsent', cause });
  expect(limits.tls).toBeUndefined();
});
