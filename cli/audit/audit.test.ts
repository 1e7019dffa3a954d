import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster, type Sitting } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (args: string[], sitting: Sitting = {}) => runMuster(args, { api, ...sitting });
const ok = (body: unknown) => ({ status: 200, body });

describe('audit', () => {
  test('tells who changed what, and asks for what was wanted', async () => {
    const item = {
      id: 'chg_1',
      at: '2026-11-21T09:00:05.000Z',
      keyId: 'key_1',
      keyName: 'the night shift',
      method: 'POST',
      route: '/v1/runs/:id/pause',
      subject: 'run_1',
      status: 200,
      requestId: 'req-1',
      detail: { reason: 'wrong reward' },
    };
    api.answers['GET /v1/audit?limit=50&subject=run_1'] = ok({ items: [item], next: 'chg_1' });
    const { out, notes } = await muster(['audit', '--subject', 'run_1']);
    expect(out).toMatch(/the night shift +POST \/v1\/runs\/:id\/pause +run_1 +200 +reason wrong reward/);
    expect(notes).toBe('more: --cursor chg_1\n');
  });
});
