import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;

beforeEach(async () => {
  api = await startTestApi();
});

afterEach(() => api.stop());

const riders = {
  id: 'lapsed-riders',
  name: 'Lapsed riders',
  description: 'No ride in 90 days',
  countries: ['SG', 'VN'],
  estimate: 125_000,
  usedBy: 3,
  usedBySaved: 2,
};
const unsaid = {
  id: 'old',
  name: 'old',
  description: null,
  countries: null,
  estimate: null,
  usedBy: 0,
  usedBySaved: 0,
};

const answer = (more: object) => {
  const body = { items: [riders, unsaid], next: null, from: 'segmentation', unavailable: null, ...more };
  api.answers['GET /v1/segments?limit=50&q=rid'] = { status: 200, body };
};

test('segments list shows what there is to choose, with its size and its use', async () => {
  answer({});
  const { code, out, notes } = await runMuster(['segments', 'list', '--search', 'rid'], { api });
  expect(code).toBe(exitCodes.ok);
  expect(out).toMatch(/lapsed-riders +Lapsed riders +SG VN +125,000 +3 +2 +No ride in 90 days/);
  expect(out).toMatch(/old +not known +0 +0/);
  expect(notes).toBe('');
});

test('segments list says where they are those of earlier campaigns, and why', async () => {
  answer({ from: 'earlier-campaigns' });
  expect((await runMuster(['segments', 'list', '--search', 'rid'], { api })).notes).toContain('offers no list');
  answer({ from: 'earlier-campaigns', unavailable: 'the segmentation service does not answer: HTTP 503' });
  expect((await runMuster(['segments', 'list', '--search', 'rid'], { api })).notes).toContain('HTTP 503');
});
