import { describe, expect, it } from 'vitest';
import { clientIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createAccessTokens } from './access-tokens.ts';
import type { Callback, CallbackAnswer } from '../ports/callback-endpoint.ts';

function setUp() {
  const clock = createSettableClock();
  const requested: Callback[] = [];
  let answers: () => CallbackAnswer = () => token(600);
  const token = (seconds?: number): CallbackAnswer => {
    const body = { access_token: `token-${requested.length}`, token_type: 'Bearer', expires_in: seconds };
    return { kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.from(JSON.stringify(body)) };
  };
  const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 10, timeoutMs: 1000, egress: [] };
  const terms = { limits, tokenUrl: 'https://id.test/token?a=b', id: 'shop:1', secret: 's e', scope: 'calls' };
  const endpoint = {
    call: (call: Callback) => {
      requested.push(call);
      return Promise.resolve(answers());
    },
  };
  const tokens = createAccessTokens(terms, { endpoint, clock });
  const answer = (next: () => CallbackAnswer) => (answers = next);
  const value = async () => {
    const got = await tokens.authorization();
    return got.kind === 'header' ? got.value : got.cause;
  };
  return { clock, request: requested, answer, token, tokens, value };
}

describe('an access token', () => {
  it('is requested once for concurrent calls, with the credentials of the client', async () => {
    const { request, value } = setUp();
    expect(await Promise.all([value(), value(), value()])).toEqual(Array.from({ length: 3 }, () => 'Bearer token-1'));
    expect(request).toHaveLength(1);
    expect(request[0]).toMatchObject({ method: 'POST', origin: 'https://id.test', path: '/token?a=b' });
    expect(request[0]?.headers).toContain(`Basic ${Buffer.from('shop%3A1:s+e').toString('base64')}`);
    expect(request[0]?.body?.toString()).toBe('grant_type=client_credentials&scope=calls');
  });

  it('is not requested later than one second after a call needs it', async () => {
    const { clock, request, value } = setUp();
    const nowMs = clock.monotonicMs();
    await value();
    expect(request[0]?.notAfterMs).toBe(nowMs + 1000);
  });

  it('is used until shortly before it expires', async () => {
    const { clock, value } = setUp();
    await value();
    clock.advance(569_000);
    expect(await value()).toBe('Bearer token-1');
    clock.advance(1000);
    expect(await value()).toBe('Bearer token-2');
  });

  it('is replaced after a receiver refused it, but at most every five seconds', async () => {
    const { clock, tokens, value } = setUp();
    tokens.refused(await value());
    expect(await value()).toBe('Bearer token-1');
    clock.advance(5000);
    expect(await value()).toBe('Bearer token-2');
    tokens.refused('Bearer token-1');
    clock.advance(5000);
    expect(await value()).toBe('Bearer token-2');
  });

  const failures: [string, CallbackAnswer, string][] = [
    ['refuses', { kind: 'answered', status: 401, retryAfterMs: null, body: Buffer.from('secret') }, 'status 401'],
    ['does not answer', { kind: 'unanswered', cause: 'no answer in time' }, 'no answer in time'],
    [
      'has a forbidden address',
      { kind: 'forbidden', cause: 'address that may not be called' },
      'address that may not be called',
    ],
    [
      'answers without a token',
      { kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.from('<p>') },
      'no token',
    ],
  ];
  it.each(failures)(
    'is missing if its server %s: no call is sent, and the token is requested again with a growing delay',
    async (...of) => {
      const [, failing, cause] = of;
      const { clock, request, answer, token, value } = setUp();
      answer(() => failing);
      for (const pause of [1000, 2000, 4000]) {
        expect(await value()).toBe(`no access token for its client: ${cause}`);
        const before = request.length;
        clock.advance(pause - 1);
        expect(await value()).toContain(cause);
        expect(request).toHaveLength(before);
        clock.advance(1);
      }
      answer(() => token());
      expect(await value()).toBe('Bearer token-4');
      clock.advance(269_000);
      expect(await value()).toBe('Bearer token-4');
      clock.advance(1000);
      expect(await value()).toBe('Bearer token-5');
    },
  );
});
