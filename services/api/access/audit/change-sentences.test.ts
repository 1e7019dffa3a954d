import { describe, expect, test } from 'vitest';
import { listedRoutes } from '../../../../test/support/route-table.ts';
import { createLogger } from '../../../../shared/runtime/logger.ts';
import { createHttpServer } from '../../frame/server/create-http-server.ts';
import { csv } from '../../frame/answer-list.ts';
import { changeSentence, changeSentences, requireSentences } from './change-sentences.ts';

describe('what the audit log says of an operation', () => {
  test('is a sentence of the field', () => {
    expect(changeSentence('POST', '/v1/session/links')).toBe('made a log-in link');
    expect(changeSentence('POST', '/v1/runs/:id/retry-failed')).toBe('retried the failed users of a run');
    expect(changeSentence('GET', '/v1/runs/:id/failures')).toBe('exported the failures of a run');
  });

  test('is of operations that there are, and of what is done without one', () => {
    const there = new Set(listedRoutes.map(({ route }) => route.replaceAll(/\{(\w+)\}/g, ':$1')));
    const others = Object.keys(changeSentences).filter((operation) => !there.has(operation));
    expect(others).toEqual(['PUT /settings', 'POST /restored']);
  });

  test('is another one for each', () => {
    const all = Object.values(changeSentences);
    expect(new Set(all).size).toBe(all.length);
  });

  test('is not known of an operation of another version', () => {
    expect(changeSentence('POST', '/v1/runs/:id/rewind')).toBeUndefined();
  });
});

const handler = () => ({});
const answersCsv = { response: { 200: { description: 'Rows', content: { [csv]: {} } } } };

test.each([
  ['POST /v1/rewinds', { method: 'POST' }],
  ['GET /v1/rewinds', { method: 'GET', schema: answersCsv }],
] as const)('%s, which would be audited, cannot be registered without a sentence', (operation, route) => {
  const server = createTestServer();
  expect(() => server.route({ ...route, url: '/v1/rewinds', handler })).toThrow(
    `${operation} has no sentence for the audit log`,
  );
});

test.each([
  ['looks', { method: 'GET' }],
  ['what is too frequent to be audited', { method: 'POST', config: { isFrequent: true } }],
] as const)('%s can', (_what, route) => {
  const server = createTestServer();
  expect(() => server.route({ ...route, url: '/v1/rewinds', handler })).not.toThrow();
});

function createTestServer() {
  const server = createHttpServer({ logger: createLogger('api', 'silent'), explain: () => undefined });
  requireSentences(server);
  return server;
}
