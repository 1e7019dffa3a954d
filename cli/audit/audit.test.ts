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

describe('muster audit', () => {
  test('list prints users with their changes, and passes its filters to the API', async () => {
    const item = {
      id: 'chg_1',
      number: 17,
      hash: '9f'.repeat(32),
      at: '2026-11-21T09:00:05.000Z',
      keyId: 'key_1',
      keyName: 'the night shift',
      method: 'POST',
      route: '/v1/runs/:id/pause',
      summary: 'paused a run',
      subject: 'run_1',
      status: 200,
      requestId: 'req-1',
      detail: { reason: 'wrong reward' },
    };
    api.answers['GET /v1/audit?limit=50&subject=run_1'] = ok({ items: [item], next: 'chg_1' });
    const { out, notes } = await muster(['audit', '--subject', 'run_1']);
    expect(out).toMatch(/the night shift +paused a run +run_1 +200 +reason wrong reward/);
    expect(notes).toBe('more: --cursor chg_1\n');
  });

  const hash = '9f'.repeat(32);
  const place = { number: 5001, hash };
  const begin = { number: 0, hash: '00'.repeat(32) };
  const cut = begin;
  const part = { checked: 5000, from: begin, cut, to: { number: 5000, hash }, head: place, next: 5000, broken: null };
  const rest = { checked: 1, from: { number: 5000, hash }, cut, to: place, head: place, next: null, broken: null };

  test('verify checks all pages of the log and prints the last valid entry', async () => {
    api.answers['GET /v1/audit/verification'] = ok(part);
    api.answers['GET /v1/audit/verification?after=5000'] = ok(rest);
    const { code, out, notes } = await muster(['audit', 'verify']);
    expect(out).toBe(`All 5,001 entries are as they were added\nThe last that fits: 5001:${hash}\n`);
    expect(notes).toContain('--expect');
    expect(code).toBe(0);
  });

  test('verify names the first entry of the log if retention has deleted older entries', async () => {
    api.answers['GET /v1/audit/verification'] = ok({ ...rest, from: { number: 17, hash }, cut: { number: 17, hash } });
    const { out } = await muster(['audit', 'verify']);
    expect(out).toContain('The log begins behind entry 17');
  });

  test('verify fails if an entry was changed or deleted', async () => {
    const broken = { number: 12, what: 'missing', because: '13 follows 11' };
    api.answers['GET /v1/audit/verification'] = ok({ ...rest, checked: 11, to: { number: 11, hash }, broken });
    const { code, out } = await muster(['audit', 'verify']);
    expect(out).toContain('Entry 12 is missing: 13 follows 11\n');
    expect(code).toBe(1);
  });

  test.each([
    ['is unchanged', [{ number: 3, hash }], 0, 'Entry 3 is the one that is expected'],
    ['has another hash', [{ number: 3, hash: '00'.repeat(32) }], 1, 'Entry 3 has another hash: 0000'],
    ['does not exist', [], 1, 'Entry 3 is expected, and is not there'],
  ])(
    'verify --expect compares an entry with a hash kept elsewhere: the entry %s',
    async (_what, items, wanted, words) => {
      api.answers['GET /v1/audit/verification'] = ok(rest);
      api.answers['GET /v1/audit?number=3&limit=1'] = ok({ items, next: null });
      const { code, out } = await muster(['audit', 'verify', '--expect', `3:${hash}`]);
      expect(out).toContain(words);
      expect(code).toBe(wanted);
    },
  );

  test('verify --expect rejects a value without a hash', async () => {
    expect(await muster(['audit', 'verify', '--expect', '3'])).toMatchObject({ code: 2, out: '' });
  });
});
