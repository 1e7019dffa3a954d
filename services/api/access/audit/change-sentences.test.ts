import { describe, expect, test } from 'vitest';
import { changeSentences } from '../../../../test/support/change-sentences.ts';
import { listedRoutes } from '../../../../test/support/route-table.ts';
import { createLogger } from '../../../../shared/runtime/logger.ts';
import { describedApi } from '../../api-document.ts';
import { createHttpServer } from '../../frame/server/create-http-server.ts';
import { csv } from '../../frame/streams/answer-list.ts';
import { collectSentences, requireSentences } from './change-sentences.ts';

describe('the sentences that the audit log shows for operations', () => {
  test('match the table changeSentences for every operation', async () => {
    const { sentences } = await describedApi();
    expect(Object.fromEntries(sentences)).toEqual(changeSentences);
  });

  test('exist only for current operations, for 29 operations of routes that were replaced, and for two operations that never had a route', () => {
    const there = new Set(listedRoutes.map(({ route }) => route.replaceAll(/\{(\w+)\}/g, ':$1')));
    const others = Object.keys(changeSentences).filter((operation) => !there.has(operation));
    const replaced = [
      /^\w+ \/v1\/(dead-|quarantined-|saved-|audience-|webhooks|campaigns\/:id\/(test-send|dry-run)$)/,
      /^\w+ \/v1\/clients\/:id\/(disable|enable|keys|keys\/:keyId|auth)$/,
    ];
    const unknown = others.slice(0, -2).filter((operation) => !replaced.some((each) => each.test(operation)));
    expect(unknown).toEqual([]);
    expect(others.slice(-2)).toEqual(['PUT /settings', 'POST /restored']);
    expect(others).toHaveLength(31);
  });

  test('differ from each other', () => {
    const all = Object.values(changeSentences);
    expect(new Set(all).size).toBe(all.length);
  });
});

const handler = () => ({});
const answersCsv = { response: { 200: { description: 'Rows', content: { [csv]: {} } } } };
const config = { audit: 'rewound a run' };

describe('a route of the API', () => {
  test.each([
    ['POST /v1/rewinds', { method: 'POST' }],
    ['GET /v1/rewinds', { method: 'GET', schema: answersCsv }],
  ] as const)('is refused if the audit log records the route but the route has no sentence: %s', (operation, route) => {
    const server = createTestServer();
    expect(() => server.route({ ...route, url: '/v1/rewinds', handler })).toThrow(
      `${operation} has no sentence for the audit log`,
    );
  });

  test.each([
    ['POST /v1/rewinds', { method: 'POST', config: { ...config, isFrequent: true } }],
    ['GET /v1/rewinds', { method: 'GET', config }],
  ] as const)(
    'is refused if the audit log never records the route but the route has a sentence: %s',
    (operation, route) => {
      const server = createTestServer();
      expect(() => server.route({ ...route, url: '/v1/rewinds', handler })).toThrow(
        `${operation} has a sentence, and no entry in the audit log`,
      );
    },
  );

  test.each([
    ['only reads', { method: 'GET' }],
    ['is too frequent to be recorded', { method: 'POST', config: { isFrequent: true } }],
  ] as const)('is accepted without a sentence if it %s', (_what, route) => {
    const server = createTestServer();
    expect(() => server.route({ ...route, url: '/v1/rewinds', handler })).not.toThrow();
  });

  test.each([
    ['changes something', 'POST', {}],
    ['is exported', 'GET', { schema: answersCsv }],
  ] as const)('is listed by method and path, with its sentence for the audit log, if it %s', (_what, method, route) => {
    const server = createTestServer();
    const { size } = server.changeSentences;
    server.route({ ...route, method, config, url: '/v1/rewinds', handler });
    expect([...server.changeSentences].slice(size)).toEqual([[`${method} /v1/rewinds`, 'rewound a run']]);
  });

  test('is refused if the list of operations without a route also has a sentence for it', () => {
    const server = createTestServer();
    expect(() => server.route({ method: 'PUT', url: '/settings', config, handler })).toThrow(
      'PUT /settings has two sentences for the audit log',
    );
  });
});

function createTestServer() {
  const server = createHttpServer({ logger: createLogger('api', 'silent'), explain: () => undefined });
  collectSentences(server);
  requireSentences(server);
  return server;
}
