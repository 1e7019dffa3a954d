import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLogger } from '../../../shared/runtime/logger.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { streamed } from '../frame/document/answer-shapes.ts';
import { createHttpServer } from '../frame/server/create-http-server.ts';
import { admitHeavyRequests } from './admit-heavy-requests.ts';
import { createHeavyRequests } from './heavy-requests.ts';

function begin() {
  const server = createHttpServer({ logger: createLogger('api', 'silent'), explain: () => undefined });
  const clock = createSettableClock();
  const heavyRequests = createHeavyRequests({ clock });
  server.decorateRequest('apiKey', null);
  admitHeavyRequests(server, { heavyRequests, clock });
  return { server, heavyRequests };
}

const file = { description: 'All of it', content: { 'text/csv': streamed } };
const handler = (): never => {
  throw new Error('no request is sent');
};
const undeclared = 'does not declare which heavy requests it counts with';

describe('a route that is not declared as heavy', () => {
  it('prevents the API from starting if it sends a file', () => {
    const { server } = begin();
    const route = { method: 'GET', url: '/things', schema: { response: { 200: file } }, handler } as const;
    expect(() => server.route(route)).toThrow(`GET /things ${undeclared}`);
  });

  it('prevents the API from starting if it reads its body as a stream', () => {
    const { server } = begin();
    const route = { method: 'POST', url: '/things', config: { uploads: { 'text/csv': 'Things' } }, handler } as const;
    expect(() => server.route(route)).toThrow(`POST /things ${undeclared}`);
  });

  it.each(['/things/preview', '/things/:id/cancel-preview', '/things/:id/report', '/things/:id/comparison'])(
    'prevents the API from starting if its path is %s',
    (url) => {
      const { server } = begin();
      expect(() => server.route({ method: 'GET', url, handler })).toThrow(`GET ${url} ${undeclared}`);
    },
  );

  it('is accepted if it sends a page of JSON at an ordinary path', () => {
    const { server } = begin();
    const shape = { 200: { description: 'A page', content: { 'application/json': { schema: z.object({}) } } } };
    const route = { method: 'GET', url: '/things', schema: { response: shape }, handler } as const;
    expect(() => server.route(route)).not.toThrow();
  });
});

describe('a request to a heavy route', () => {
  it('holds its slot until its handler has ended, even with an error, and is refused if no slot is free', async () => {
    const { server, heavyRequests } = begin();
    const ends: (() => void)[] = [];
    server.get('/things/export', { config: { heavy: 'exports' } }, async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      throw new Error('it fails');
    });
    const ask = (format: string) => server.inject({ url: `/things/export?format=${format}` });
    const held = [ask('csv'), ask('ndjson')];
    await expect.poll(() => ends.length).toBe(2);
    expect(heavyRequests.countUnderWay('exports', '127.0.0.1')).toBe(2);
    const refused = await ask('csv');
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('5');
    expect(refused.json()).toMatchObject({ code: 'too-many-exports' });
    const page = ask('json');
    await expect.poll(() => ends.length).toBe(3);
    for (const end of ends) end();
    expect((await Promise.all([...held, page])).map(({ statusCode }) => statusCode)).toEqual([500, 500, 500]);
    expect(heavyRequests.countUnderWay('exports', '127.0.0.1')).toBe(0);
  });
});
