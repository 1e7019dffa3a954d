import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { clientKeyContext } from '../../shared/domain/job/job-ids.ts';
import { webhookKeyOf, webhookProblem } from '../../shared/domain/endpoint/standard-webhooks.ts';
import type { ClientEndpoint, DefaultEndpoint } from '../../shared/ports/clients.ts';
import { createSecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { clientSnapshotOf } from '../../shared/runtime/installation/client-reader.ts';
import { clientOf, endpointLike, newClientOf } from '../../test/support/clients.ts';
import { clientIdOf } from '../../test/support/conformance/job-subject.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createClientDirectory } from './client-directory.ts';

const clientId = clientIdOf(1);
const secretOf = () => `whsec_${randomBytes(24).toString('base64')}`;

function setUp(box = createSecretBox([Buffer.alloc(32, 7)])) {
  const clock = createSettableClock();
  const terms = { concurrency: 7, publishRatePerSecond: 5, timeoutMs: 1500, onGone: 'sideline' };
  let client = clientOf(newClientOf('orders', { clientId, terms }), clock.now());
  const directory = createClientDirectory({
    reader: { current: () => clientSnapshotOf(1, [client]) },
    secretBox: box,
    clock,
    tokenEndpoint: { call: () => expect.unreachable('no token is asked for') },
    logger: pino({ level: 'silent' }),
  });
  const change = (own: Partial<DefaultEndpoint>, ...others: ClientEndpoint[]) => {
    client = { ...client, endpoints: [{ ...client.endpoints[0], ...own }, ...others], revision: client.revision + 1 };
  };
  const keyOf = (keyId: string, secret: string, expiresAt: Date | null = null) => ({
    keyId,
    createdAt: clock.now(),
    expiresAt,
    ...createSecretBox([Buffer.alloc(32, 7)]).seal(secret, clientKeyContext(clientId, keyId)),
  });
  const seconds = () => Math.floor(clock.nowMs() / 1000);
  const sign = () => directory.termsOf(clientId)?.sign('job_1', seconds(), Buffer.from('{}')) ?? [];
  const isGood = (secret: string, signature: string) => {
    const key = webhookKeyOf(secret);
    const received = { id: 'job_1', timestamp: String(seconds()), signature, body: Buffer.from('{}') };
    return key !== undefined && webhookProblem(key, received, seconds()) === null;
  };
  return { clock, directory, change, keyOf, sign, isGood };
}

describe("the terms of a client's calls", () => {
  it('come from the definition of the client, and change with the definition', () => {
    const { directory, change } = setUp();
    expect(directory.termsOf(clientId)).toMatchObject({
      pauseReason: null,
      onGone: 'sideline',
      sideline: { afterFailures: 10, failureRate: 0.5, probeEveryMs: 30_000, pathPrefixes: [] },
      limits: { clientId, concurrency: 7, timeoutMs: 1500, egress: [] },
      retries: { strategy: 'exponential', attempts: 5 },
    });
    change({ enabled: false });
    expect(directory.termsOf(clientId)).toMatchObject({ pauseReason: 'the client is disabled' });
    expect(directory.termsOf(clientIdOf(2))).toBeUndefined();
  });

  it('can be overridden for an endpoint, and an endpoint is paused together with its client', () => {
    const { clock, directory, change } = setUp();
    const endpoint = { ...endpointLike(clientIdOf(3), 'billing', clock.now()), terms: { concurrency: 2 } };
    change({}, endpoint);
    const ofEndpoint = () => directory.termsOf(clientIdOf(3));
    expect(ofEndpoint()).toMatchObject({
      ownerId: clientId,
      pauseReason: null,
      onGone: 'sideline',
      limits: { clientId: clientIdOf(3), concurrency: 2, timeoutMs: 1500 },
    });
    expect(directory.termsOf(clientId)).toMatchObject({ ownerId: clientId, limits: { clientId, concurrency: 7 } });
    change({}, { ...endpoint, enabled: false });
    expect(ofEndpoint()?.pauseReason).toBe('the endpoint is disabled');
    expect(directory.termsOf(clientId)?.pauseReason).toBeNull();
    change({ enabled: false }, endpoint);
    expect(ofEndpoint()?.pauseReason).toBe('the client is disabled');
    change({});
    expect(ofEndpoint()).toBeUndefined();
  });

  it('sign with every valid secret, so that secrets can be replaced without a gap', () => {
    const { clock, change, keyOf, sign, isGood } = setUp();
    const [before, after] = [secretOf(), secretOf()];
    expect(sign()).toEqual([]);
    change({ keys: [keyOf('k1', before)] });
    expect(sign().map((signature) => isGood(before, signature))).toEqual([true]);
    change({ keys: [keyOf('k2', after), keyOf('k1', before, new Date(clock.nowMs() + 1000))] });
    const both = sign().join(' ');
    expect([isGood(before, both), isGood(after, both)]).toEqual([true, true]);
    clock.advance(1000);
    const later = sign().join(' ');
    expect([isGood(before, later), isGood(after, later)]).toEqual([false, true]);
  });

  it('skip a secret that cannot be decrypted, so the call is sent without its signature', () => {
    const { change, keyOf, sign } = setUp(createSecretBox([Buffer.alloc(32, 8)]));
    change({ keys: [keyOf('k1', secretOf())] });
    expect(sign()).toEqual([]);
  });
});
