import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const ok = (body: unknown) => ({ status: 200, body });

test('muster quiet-hours prints the rules, or that none exist', async () => {
  const rules = [{ actionType: 'send-message', countries: ['SG', 'ID'], from: '21:00', until: '08:00', then: 'wait' }];
  api.answers['GET /v1/quiet-hours'] = ok({ revision: 1, rules, madeAt: '2026-11-01T00:00:00.000Z' });
  expect((await runMuster(['quiet-hours'], { api })).out).toMatch(
    /send-message +SG ID +21:00 +08:00 +the country's +wait/,
  );
  api.answers['GET /v1/quiet-hours'] = ok({ revision: 0, rules: [], madeAt: null });
  expect((await runMuster(['quiet-hours'], { api })).out).toBe('no rules: there are no quiet hours\n');
});
