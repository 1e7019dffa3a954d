import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { runMuster, type Sitting } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (args: string[], sitting: Sitting = {}) => runMuster(args, { api, ...sitting });
const ok = (body: unknown) => ({ status: 200, body });

const covers = {
  countries: ['SG'],
  audience: { include: [{ segment: 'lapsed' }] },
  chain: [{ action: 'award-reward' }],
  schedule: { type: 'now' },
  deadlineSeconds: 3600,
  priority: 'normal',
  usersAtMost: { SG: 3000 },
};
const approval = {
  id: 'apr_1',
  state: 'waiting',
  stateReason: null,
  stateSince: '2026-11-01T00:00:00.000Z',
  revision: 2,
  runId: null,
  raisesBudgets: false,
  hash: 'a'.repeat(64),
  usersAtMost: { SG: 3000 },
  usersExpected: { SG: { atLeast: 40, atMost: 2857 } },
  unitsAtMost: 6000,
  costAtMost: null,
  requiredApprovers: 2,
  reasons: ['more than 2,000 users'],
  given: [{ by: 'wei', comment: 'agreed', at: '2026-11-01T00:00:00.000Z' }],
  submittedBy: 'mei',
  submittedAt: '2026-11-01T00:00:00.000Z',
  campaignId: 'cmp_1',
  campaignName: 'Riders',
  covers,
  startsAt: null,
  diff: { from: 1, to: 2, differences: [{ pointer: '/deadlineSeconds', before: 60, after: 3600 }] },
  refusedToYou: null,
  links: { campaign: '/v1/campaigns/cmp_1', run: null },
};

test('muster approvals list prints waiting approvals unless --state names another state', async () => {
  api.answers['GET /v1/approvals?state=waiting&limit=50'] = ok({ items: [approval], next: null });
  const { out } = await muster(['approvals', 'list']);
  expect(out).toMatch(/apr_1 +Riders +cmp_1 +waiting, 1 of 2 +3,000 +6,000 +mei/);
});

test('muster approvals show prints the covered limits and the differences from the last approved revision', async () => {
  api.answers['GET /v1/approvals/apr_1'] = ok(approval);
  const { out } = await muster(['approvals', 'show', 'apr_1']);
  expect(out).toMatch(/covers +at most 3,000 users \(SG 3,000\) and 6,000 units/);
  expect(out).toMatch(/since revision 1 +deadlineSeconds 60 → 3600/);
  expect(out).not.toContain('segment');
  expect(out).toMatch(/approved by +wei: agreed/);
});

test('muster approvals approve sends the hash of the approval that was shown', async () => {
  api.answers['GET /v1/approvals/apr_1'] = ok(approval);
  api.answers['POST /v1/campaigns/cmp_1/approve'] = ok({ ...approval, state: 'approved' });
  expect((await muster(['approvals', 'approve', 'apr_1', '--yes'])).out).toBe('apr_1 approved\n');
  expect(api.bodies.at(-1)).toEqual({ hash: 'a'.repeat(64) });
});

test('muster approvals send-back requires a comment in --comment and sends back the approval that was shown', async () => {
  expect((await muster(['approvals', 'send-back', 'apr_1'])).notes).toContain('--comment');
  api.answers['GET /v1/approvals/apr_1'] = ok(approval);
  api.answers['POST /v1/campaigns/cmp_1/send-back'] = ok({ ...approval, state: 'sent-back' });
  await muster(['approvals', 'send-back', 'apr_1', '--comment', 'no hold-out?']);
  expect(api.bodies.at(-1)).toEqual({ hash: 'a'.repeat(64), comment: 'no hold-out?' });
});

test('muster approvals submit sends the user limits by country and rejects malformed ones', async () => {
  api.answers['POST /v1/campaigns/cmp_1/submit'] = ok(approval);
  const { out } = await muster(['approvals', 'submit', 'cmp_1', '--users', 'SG=3000']);
  expect(out).toBe('apr_1 waiting, 1 of 2: at most 3,000 users (SG 3,000) and 6,000 units\n');
  expect(api.bodies.at(-1)).toEqual({ usersAtMost: { SG: 3000 } });
  expect((await muster(['approvals', 'submit', 'cmp_1', '--users', 'many'])).notes).toContain('SG=50000');
});

test('a refused submit prints the command to run next, and --json prints the problem of the API unchanged', async () => {
  const detail = 'cmp_1 is archived: restore it first (POST /v1/campaigns/cmp_1/unarchive)';
  const body = { title: 'Conflict', status: 409, code: 'state-forbids', detail, errors: [] };
  api.answers['POST /v1/campaigns/cmp_1/submit'] = { status: 409, body };
  const { code, notes } = await muster(['approvals', 'submit', 'cmp_1']);
  expect([code, notes]).toEqual([
    exitCodes.refused,
    'not submitted: cmp_1 is archived: restore it first (`muster campaign unarchive cmp_1`)\n',
  ]);
  expect((await muster(['--json', 'approvals', 'submit', 'cmp_1'])).notes).toContain(detail);
});

test('muster approvals withdraw prints the new state of the approval', async () => {
  api.answers['POST /v1/campaigns/cmp_1/withdraw'] = ok({ ...approval, state: 'withdrawn' });
  expect((await muster(['approvals', 'withdraw', 'cmp_1'])).out).toBe('apr_1 withdrawn\n');
});

test('muster approvals policy prints the approval rules', async () => {
  const rules = [{ usersAbove: 100_000, unitsAbove: 10_000, approvers: 1 }];
  api.answers['GET /v1/approval-policy'] = ok({ revision: 1, rules, madeAt: '2026-11-01T00:00:00.000Z' });
  expect((await muster(['approvals', 'policy'])).out).toMatch(/all +100,000 +10,000 +1/);
  api.answers['GET /v1/approval-policy'] = ok({ revision: 0, rules: [], madeAt: null });
  expect((await muster(['approvals', 'policy'])).out).toBe('no rules: nothing is asked for\n');
});
