import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (...args: string[]) => runMuster(args, { api });

const ok = (body: unknown) => ({ status: 200, body });
const at = '2026-11-22T04:00:00.000Z';

describe('muster run receipts', () => {
  const receipt = { userId: 'u\u0007=1', step: 2, country: 'SG', status: 'undelivered', code: 'no-device' };

  it('prints the receipts of providers with their users', async () => {
    const items = [{ ...receipt, at, receivedAt: at }];
    api.answers['GET /v1/runs/run_1/receipts?status=undelivered&limit=100'] = ok({ items, next: 'more' });
    const { code, out, notes } = await muster('run', 'receipts', 'run_1', '--status', 'undelivered');
    expect(code).toBe(exitCodes.ok);
    expect(out).toMatch(/u.*=1 +2 +SG +undelivered +no-device +2026-11-22 04:00 UTC/);
    expect(out).not.toContain('\u0007');
    expect(notes).toContain('--limit 1000, or all with --csv');
  });

  it('prints the response of the API unchanged with --csv or --ndjson', async () => {
    const path = 'GET /v1/runs/run_1/receipts?step=2&country=SG&raw=true';
    api.answers[path] = ok('userId,step\r\nu1,2\r\n');
    const { out } = await muster('run', 'receipts', 'run_1', '--step', '2', '--country', 'SG', '--csv', '--raw');
    expect(out).toBe('userId,step\r\nu1,2\r\n');
    expect((await muster('run', 'receipts', 'run_1', '--csv', '--ndjson')).code).toBe(exitCodes.usage);
  });
});

describe('muster explain', () => {
  it('prints the earlier effects that a cap counted', async () => {
    const none = { endedAt: at, waitsFor: null, nextAttemptAt: null, receipt: null, attempts: [] };
    const capped = { step: 1, action: 'send-message', outcome: 'suppressed', reason: 'muster.cap', ...none };
    const hidden = { runId: null, campaignId: null, campaignName: null, step: 2, action: 'send-push', at };
    const counted = [{ ...hidden, runId: 'run_0', campaignId: 'cmp_0', campaignName: 'Payday' }, hidden];
    const detail = 'weekly: 2 of at most 2 within 7 days';
    api.answers['GET /v1/runs/run_1/users/u1'] = ok({
      userId: 'u1',
      audience: { place: 'member', country: 'SG', detail: 'it was fed' },
      batches: [],
      steps: [{ ...capped, detail, counted }],
    });
    const { out } = await muster('explain', 'run_1', 'u1');
    expect(out).toContain(`1 send-message: suppressed · muster.cap · ${detail}\n`);
    expect(out).toContain('    earlier: Payday (run_0), step 2 send-push, 2026-11-22 04:00:00');
    expect(out).toContain('    earlier: another campaign, step 2 send-push, 2026-11-22 04:00:00');
  });

  it('prints the last receipt of the provider for an accepted user', async () => {
    const step = { reason: null, detail: null, endedAt: at, waitsFor: null, nextAttemptAt: null, attempts: [] };
    const sent = { ...step, step: 1, action: 'send-message', outcome: 'succeeded' };
    const receipt = { status: 'undelivered', code: 'no-device', at, receivedAt: at };
    const explained = {
      runId: 'run_1',
      campaignId: 'cmp_1',
      userId: 'u1',
      state: 'completed',
      asOf: at,
      audience: { place: 'member', country: 'SG', detail: 'it was fed' },
      batches: [],
      steps: [{ ...sent, receipt }],
    };
    api.answers['GET /v1/runs/run_1/users/u1'] = ok(explained);
    const { out } = await muster('explain', 'run_1', 'u1');
    expect(out).toContain('1 send-message: succeeded · undelivered (no-device) at 04:00:00 UTC');
    expect(out).not.toContain('no longer known');
    const deleted = { ...explained, steps: [{ ...sent, receipt: null }], receiptsDeletedAt: at };
    api.answers['GET /v1/runs/run_1/users/u1'] = ok(deleted);
    expect((await muster('explain', 'run_1', 'u1')).out).toContain(
      'receipts were deleted on 2026-11-22: whether this user was delivered is no longer known',
    );
  });
});
