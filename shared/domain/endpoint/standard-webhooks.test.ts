import { describe, expect, it } from 'vitest';
import { signWebhook, webhookKeyOf, webhookProblem } from './standard-webhooks.ts';

/**
 * Test vectors published with the specification's libraries (standard-webhooks/standard-webhooks,
 * libraries/javascript).
 */
const published = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: Buffer.from('{"test": 2432232314}'),
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

function keyOf(secret: string) {
  const key = webhookKeyOf(secret);
  if (!key) throw new Error('the secret is none');
  return key;
}

describe('a signature by Standard Webhooks', () => {
  const key = keyOf(published.secret);
  const { id, timestamp, body, signature } = published;
  const received = { id, timestamp: String(timestamp), signature, body };

  it('equals the published example', () => {
    expect(signWebhook(key, id, timestamp, body)).toBe(signature);
    expect(signWebhook(keyOf(published.secret.slice('whsec_'.length)), id, timestamp, body)).toBe(signature);
  });

  it('is accepted, also among several signatures and versions', () => {
    expect(webhookProblem(key, received, timestamp)).toBeNull();
    const several = `v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,other ${signature}`;
    expect(webhookProblem(key, { ...received, signature: several }, timestamp + 300)).toBeNull();
  });

  it.each<[string, Partial<typeof received>, string]>([
    ['another body', { body: Buffer.from('{"test": 2432232315}') }, 'is of this body'],
    ['another id', { id: 'msg_other' }, 'is of this body'],
    ['another time', { timestamp: String(timestamp + 1) }, 'is of this body'],
    ['another version', { signature: signature.replace('v1', 'v2') }, 'holds no signature'],
    ['an invalid timestamp', { timestamp: 'now' }, 'is no time'],
  ])('is refused for %s', (_name, change, problem) => {
    expect(webhookProblem(key, { ...received, ...change }, timestamp)).toContain(problem);
  });

  it('is refused without one of its headers, and more than 300 s before or after its time', () => {
    for (const header of ['id', 'timestamp', 'signature'] as const) {
      expect(webhookProblem(key, { ...received, [header]: undefined }, timestamp)).toContain(`webhook-${header}`);
    }
    expect(webhookProblem(key, received, timestamp + 301)).toContain('more than 300 seconds');
    expect(webhookProblem(key, received, timestamp - 301)).toContain('more than 300 seconds');
  });
});

describe('a Standard Webhooks secret', () => {
  it.each([
    ['too short', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['too long', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['not base64', 'whsec_correct horse battery staple!'],
    ['base64 that ends within a byte', `whsec_${'A'.repeat(33)}`],
    ['nothing', ''],
  ])('is invalid if it is %s', (_name, secret) => {
    expect(webhookKeyOf(secret)).toBeUndefined();
  });
});
