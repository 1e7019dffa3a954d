import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const weekly = { name: 'weekly', actionTypes: ['send-message', 'send-push'], effects: 3, days: 7 };
const kept = { ...weekly, counting: 'rolling', countsFrom: '2026-11-01T08:00:00.000Z' };
const ok = (caps: unknown[]) => ({ status: 200, body: { revision: 1, caps, madeAt: null } });

test('muster caps prints the caps, or that none exist', async () => {
  const daily = { ...kept, name: 'daily', days: 1, counting: 'calendar', countries: ['SG', 'ID'], exempt: ['cmp_1'] };
  api.answers['GET /v1/caps'] = ok([kept, daily]);
  const { out } = await runMuster(['caps'], { api });
  expect(out).toMatch(/weekly +send-message send-push +all +3 +7 +rolling +2026-11-01 08:00:00/);
  expect(out).toMatch(/daily .* SG ID +3 +1 +calendar +cmp_1/);
  api.answers['GET /v1/caps'] = ok([]);
  expect((await runMuster(['caps'], { api })).out).toBe('no caps: nothing is counted\n');
});

test('muster caps --file replaces the caps by those of the file', async () => {
  api.answers['PUT /v1/caps'] = ok([kept]);
  const { code } = await runMuster(['caps', '--file', '-'], { api, piped: JSON.stringify({ caps: [weekly] }) });
  expect(code).toBe(0);
  expect(api.bodies).toEqual([{ caps: [weekly] }]);
});
