import { once } from 'node:events';
import { IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { listedRoutes } from '../../../test/support/route-table.ts';

const on = apiOnPostgres({ begun: 'once' });

/**
 * Sends headers that announce a body of a mebibyte, and sends no byte of the body. A route that needs the body would
 * not respond. Returns the status.
 */
async function statusByHead(route: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const [method = '', path = ''] = route.split(' ');
  const url = new URL(path.replaceAll(/\{\w+\}/g, 'x'), await on.start());
  const announced = { 'content-type': 'application/json', 'content-length': String(1024 * 1024), ...headers };
  const sent = request(url, { method, headers: announced });
  sent.flushHeaders();
  const [answer] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(sent, 'response'));
  await once(answer.resume(), 'end');
  sent.on('error', () => undefined).destroy();
  return answer.statusCode;
}

const takesBody = (route: string) => !route.startsWith('GET ');
const routes = listedRoutes.map(({ route }) => route).filter(takesBody);
const logIns = ['POST /v1/session', 'POST /v1/session/sign-in'];
const needKeys = routes.filter((route) => !logIns.includes(route));

/** Returns a signature with the right form and time, that was made with an unknown secret. */
const signature = () => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(on.deps.clock.now().getTime() / 1000)),
  'webhook-signature': `v1,${Buffer.alloc(32, 9).toString('base64')}`,
});

describe('a request without a valid key', () => {
  it.each(needKeys)('is answered before its body arrives: %s', async (route) => {
    expect(await statusByHead(route)).toBe(401);
  });

  it.each(['application/x-ndjson', 'text/csv', 'text/plain'])(
    'is answered before its body arrives, with the declared type %s',
    async (type) => {
      const headers = { 'content-type': type, authorization: 'Bearer no-such-key-at-all' };
      for (const route of ['POST /v1/jobs/bulk', 'POST /v1/audiences/upload', 'POST /v1/receipts'])
        expect(await statusByHead(route, headers)).toBe(401);
    },
  );

  it('is refused because of its announced length if it is a log-in or has a signature', async () => {
    for (const route of logIns) expect(await statusByHead(route, { origin: 'http://a.test' })).toBe(413);
    expect(await statusByHead('POST /v1/receipts', signature())).toBe(413);
  });

  it.each([
    ['POST /nowhere', 404],
    ['POST /v1/nowhere', 401],
    ['POST /healthz', 405],
    ['POST /readyz', 405],
    ['POST /openapi.json', 405],
    ['POST /docs/', 405],
  ])('is answered before its body arrives for an unknown route: %s', async (route, status) => {
    expect(await statusByHead(route)).toBe(status);
  });
});
