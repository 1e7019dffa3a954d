import { expect, it } from 'vitest';
import { changeInWords, detailInWords, endOfChange } from './change-words.ts';

it.each([
  ['POST', '/v1/campaigns', 'create campaign'],
  ['POST', '/v1/campaigns/:id/start', 'start campaign'],
  ['POST', '/v1/runs/:id/retry-failed', 'retry failed run'],
  ['PATCH', '/v1/campaigns/:id/budgets', 'change budget of campaign'],
  ['PATCH', '/v1/shards/:shard', 'change shard'],
  ['DELETE', '/v1/audiences/:id', 'delete audience'],
  ['POST', '/v1/dead-letters/replay', 'replay dead letter'],
  ['GET', '/v1/runs/:id/failures', 'export failures of run'],
  ['GET', '/v1/dead-letters', 'export dead letters'],
  ['PUT', '/settings', 'replace setting'],
])('%s %s is shown as %s', (method, route, words) => {
  expect(changeInWords({ method, route })).toBe(words);
});

it('tells details by name', () => {
  expect(detailInWords({ reason: 'wrong template', to: [1] })).toBe('reason: wrong template · to: [1]');
  expect(detailInWords({})).toBe('');
});

it.each([
  [201, true, 'done'],
  [409, false, 'refused by its state'],
  [422, false, 'refused, 422'],
])('a change that was answered with %d ended so', (status, isDone, words) => {
  expect(endOfChange(status)).toEqual({ isDone, words });
});
