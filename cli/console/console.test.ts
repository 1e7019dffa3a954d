import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

describe('muster console', () => {
  test('link prints only a one-time log-in link on stdout', async () => {
    const url = 'http://127.0.0.1:8080/log-in#link=abc';
    const body = { link: 'abc', url, expiresAt: '2026-11-23T10:00:00.000Z' };
    api.answers['POST /v1/session/links'] = { status: 201, body };
    const { out, notes } = await runMuster(['console', 'link'], { api });
    expect(out).toBe(`${url}\n`);
    expect(notes).toContain('it logs in once, until 2026-11-23T10:00:00.000Z');
  });

  test('log-out ends all sessions of the key', async () => {
    api.answers['DELETE /v1/sessions'] = { status: 200, body: { ended: 2 } };
    expect((await runMuster(['console', 'log-out'], { api })).out).toBe('2 sessions ended\n');
  });
});
