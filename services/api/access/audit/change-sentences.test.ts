import { describe, expect, test } from 'vitest';
import { changeSentences } from '../../../../test/support/change-sentences.ts';
import { listedRoutes } from '../../../../test/support/route-table.ts';
import { createLogger } from '../../../../shared/runtime/logger.ts';
import { describedApi } from '../../api-document.ts';
import { createHttpServer } from '../../frame/server/create-http-server.ts';
import { csv } from '../../frame/answer-list.ts';
import { collectSentences, requireSentences } from './change-sentences.ts';

describe('the sentences of the audit log', () => {
  test('are those that stand in the table, for every operation', async () => {
    const { sentences } = await describedApi();
    expect(Object.fromEntries(sentences)).toEqual(changeSentences);
  });

  test('are for existing operations, 29 operations of replaced routes, and two that never had a route', () => {
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

describe('a route', () => {
  test.each([
    ['POST /v1/rewinds', { method: 'POST' }],
    ['GET /v1/rewinds', { method: 'GET', schema: answersCsv }],
  ] as const)('%s is refused if the audit log records it and it has no sentence', (operation, route) => {
    const server = createTestServer();
    expect(() => server.route({ ...route, url: '/v1/rewinds', handler })).toThrow(
      `${operation} has no sentence for the audit log`,
    );
  });

  test.each([
    ['POST /v1/rewinds', { method: 'POST', config: { ...config, isFrequent: true } }],
    ['GET /v1/rewinds', { method: 'GET', config }],
  ] as const)('%s is refused if the audit log never records it and it has a sentence', (operation, route) => {
    const server = createTestServer();
    expect(() => server.route({ ...route, url: '/v1/rewinds', handler })).toThrow(
      `${operation} has a sentence, and no entry in the audit log`,
    );
  });

  test.each([
    ['only reads', { method: 'GET' }],
    ['is too frequent to be recorded', { method: 'POST', config: { isFrequent: true } }],
  ] as const)('is registered without a sentence if it %s', (_what, route) => {
    const server = createTestServer();
    expect(() => server.route({ ...route, url: '/v1/rewinds', handler })).not.toThrow();
  });

  test.each([
    ['changes something', 'POST', {}],
    ['is exported', 'GET', { schema: answersCsv }],
  ] as const)('has its sentence under method and path if it %s', (_what, method, route) => {
    const server = createTestServer();
    const { size } = server.changeSentences;
    server.route({ ...route, method, config, url: '/v1/rewinds', handler });
    expect([...server.changeSentences].slice(size)).toEqual([[`${method} /v1/rewinds`, 'rewound a run']]);
  });

  test('is refused if its sentence stands among those of operations without a route', () => {
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
