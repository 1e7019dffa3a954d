import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approvalSummary } from '../../../../shared/contracts/campaigns/approval-summary.ts';
import { approvalShape } from '../../../../shared/contracts/campaigns/approvals.ts';
import { auditRecord } from '../../../../shared/contracts/access/audit.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf, type Person } from '../../../../test/support/approvals-on-api.ts';
import { recurrenceShape } from '../../../../shared/contracts/schedules/recurrences.ts';
import { noteSettings } from '../../../../shared/postgres/registry/service-settings.ts';
import { uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { pageShape } from '../../frame/pages.contract.ts';

const on = apiOnPostgres();
const { addPeople, approve, asks, read, setPolicy, submit, write } = approvalsOn(on);

const start = (id: string) => asks('mei, manager', 'POST', `/campaigns/${id}/start`);
const detailOf = (answer: { json: () => unknown }) => z.object({ detail: z.string() }).parse(answer.json()).detail;

beforeEach(addPeople);

describe('an installation without a policy', () => {
  it('starts a campaign without an approval and refuses a submission for approval', async () => {
    const { id, approval } = await write();
    expect(approval).toBeNull();
    expect(verdictOf(await asks('mei, manager', 'POST', `/campaigns/${id}/submit`))).toBe('409 no-approval-needed');
    expect(verdictOf(await start(id))).toBe('200');
  });
});

describe('a raise of the budgets of a started campaign', () => {
  const chain = [{ action: 'award-reward', unitsPerUser: 1 }];
  const to = (units: number) => ({ budgets: [{ country: 'SG', units }] });
  const ask = (id: string, units: number, person: Person = 'mei, manager') =>
    asks(person, 'POST', `/campaigns/${id}/submit`, to(units));
  const unitsOf = async (id: string) => (await read(id)).budgets;

  /** Returns a campaign that was approved with 3,000 units in SG and started, with a running run. */
  async function started() {
    await setPolicy({ rules: [{ unitsAbove: 2000, approvers: 1 }] });
    const { id } = await write('mei, manager', { countries: ['SG'], chain, budgets: [{ country: 'SG', units: 3000 }] });
    const { hash } = await submit(id, { usersAtMost: { SG: 9000 } });
    await approve(id, hash);
    expect(verdictOf(await start(id))).toBe('200');
    const seed = { campaignId: uuidOf('campaign', id) ?? '', revision: 1, scheduledFor: new Date(0) };
    return { id, hash, runId: await on.deps.rows.addRun({ ...seed, state: 'running' }) };
  }

  it('is submitted and approved separately, and the earlier approval stays in force until then', async () => {
    const { id, hash, runId } = await started();
    const refused = await asks('mei, manager', 'PATCH', `/campaigns/${id}/budgets`, to(5000));
    expect(verdictOf(refused)).toBe('409 approval-needed');
    expect(detailOf(refused)).toMatch(/\/submit with these budgets requests it/);
    const raise = approvalSummary.parse((await ask(id, 5000)).json());
    expect(raise).toMatchObject({
      raisesBudgets: true,
      state: 'waiting',
      reasons: ['more than 2,000 units'],
      unitsAtMost: 5000,
    });
    expect(raise.usersAtMost).toEqual({ SG: 9000 });
    expect(await read(id)).toMatchObject({ budgets: to(3000).budgets, approval: { hash, state: 'approved' } });

    expect(verdictOf(await asks('mei, approver', 'POST', `/campaigns/${id}/approve`, { hash: raise.hash }))).toBe(
      '403 author-approves-not',
    );
    expect(await unitsOf(id)).toEqual(to(3000).budgets);
    expect(await approve(id, raise.hash)).toMatchObject({ state: 'approved', raisesBudgets: false });
    expect(await read(id)).toMatchObject({ budgets: to(5000).budgets, approval: { id: raise.id, state: 'approved' } });
    const { rows } = await on.pool.query('select kind, detail from run_events where run = $1', [runId]);
    const detail = { by: { keyName: 'rahayu' }, from: to(3000), to: to(5000) };
    expect(rows).toEqual([{ kind: 'changed', detail }]);
    // Raises up to the approved budget need no further approval.
    await asks('mei, manager', 'PATCH', `/campaigns/${id}/budgets`, to(4000));
    expect(verdictOf(await asks('mei, manager', 'PATCH', `/campaigns/${id}/budgets`, to(5000)))).toBe('200');
  });

  it('does not affect the earlier approval if it is sent back or withdrawn', async () => {
    const { id, hash } = await started();
    const raise = approvalSummary.parse((await ask(id, 5000)).json());
    await asks('rahayu, approver', 'POST', `/campaigns/${id}/send-back`, { hash: raise.hash, comment: 'why?' });
    expect(verdictOf(await asks('rahayu, approver', 'POST', `/campaigns/${id}/approve`, { hash: raise.hash }))).toBe(
      '409 state-forbids',
    );
    await ask(id, 6000);
    expect(verdictOf(await asks('mei, manager', 'POST', `/campaigns/${id}/withdraw`))).toBe('200');
    expect(await read(id)).toMatchObject({ budgets: to(3000).budgets, approval: { hash, state: 'approved' } });
  });

  it('is replaced by another submission, and unchanged by a repeat of the same submission', async () => {
    const { id } = await started();
    const first = approvalSummary.parse((await ask(id, 5000)).json());
    expect(approvalSummary.parse((await ask(id, 5000)).json()).id).toBe(first.id);
    const second = approvalSummary.parse((await ask(id, 7000)).json());
    await approve(id, second.hash);
    expect(await unitsOf(id)).toEqual(to(7000).budgets);
    const late = await asks('rahayu, approver', 'POST', `/campaigns/${id}/approve`, { hash: first.hash });
    expect(verdictOf(late)).toBe('409 state-forbids');
    expect(await unitsOf(id)).toEqual(to(7000).budgets);
  });

  it('is refused for a draft, and for a budget that is not raised', async () => {
    const { id } = await started();
    expect(verdictOf(await ask(id, 3000))).toBe('422 invalid-request');
    const draft = await write('mei, manager', { countries: ['SG'], chain, budgets: to(10).budgets });
    expect(verdictOf(await ask(draft.id, 20))).toBe('409 state-forbids');
  });
});

describe('an approval policy with a limit of money', () => {
  const chain = [{ action: 'award-reward', unitsPerUser: 2 }];
  const price = async (each: string) => {
    expect((await on.ask('PATCH', '/v1/action-types/award-reward', { price: each })).statusCode).toBe(200);
  };
  beforeEach(async () => {
    await noteSettings(on.pool, 'api', { MUSTER_CURRENCY: 'SGD' });
    await price('0.50');
    await setPolicy({ rules: [{ amountAbove: '2000', approvers: 1 }] });
  });

  it('requires an approval if the possible costs exceed an amount, and shows these costs', async () => {
    const { id } = await write('mei, manager', { chain });
    const refused = await start(id);
    expect(verdictOf(refused)).toBe('409 approval-needed');
    expect(detailOf(refused)).toMatch(/needs 1 approver \(more than 2,000.00 SGD\)/);
    const { hash, costAtMost } = await submit(id);
    expect(costAtMost).toEqual({ currency: 'SGD', amount: '3150.00' });
    expect(await approve(id, hash)).toMatchObject({ state: 'approved', costAtMost });
    expect(verdictOf(await start(id))).toBe('200');
  });

  it('requires another approval if prices have risen above the approved costs', async () => {
    const { id } = await write('mei, manager', { chain });
    await approve(id, (await submit(id)).hash);
    await price('0.51');
    expect(verdictOf(await start(id))).toBe('409 approval-needed');
    await price('0.49');
    expect(verdictOf(await start(id))).toBe('200');
  });

  it('requires one approval for a recurring campaign, which covers costs up to its budgets', async () => {
    const schedule = { type: 'recurring', cron: '0 9 * * *', zone: 'UTC' };
    const small = ['SG', 'ID', 'VN'].map((country) => ({ country, amount: '600.00', currency: 'SGD' }));
    const bounded = await write('mei, manager', { chain, schedule, budgets: small });
    expect(verdictOf(await start(bounded.id))).toBe('200');
    const larger = small.map((budget) => ({ ...budget, amount: '700' }));
    const { id } = await write('mei, manager', { chain, schedule, budgets: larger });
    expect(verdictOf(await start(id))).toBe('409 approval-needed');
    const { hash, costAtMost } = await submit(id);
    expect(costAtMost).toEqual({ currency: 'SGD', amount: '2100.00' });
    await approve(id, hash);
    // The price of a unit has risen. The approval still holds, because the budgets limit the costs.
    await price('4');
    expect(verdictOf(await start(id))).toBe('200');
  });
});

describe('an approval policy with a limit of users', () => {
  beforeEach(() => setPolicy());

  it('permits small campaigns to start without an approval', async () => {
    const { id } = await write('mei, manager', { countries: ['SG', 'ID'] });
    expect(verdictOf(await start(id))).toBe('200');
  });

  it('refuses to start a large campaign until it is approved, and returns the reason', async () => {
    const { id } = await write();
    const refused = await start(id);
    expect(verdictOf(refused)).toBe('409 approval-needed');
    expect(detailOf(refused)).toMatch(
      /needs 1 approver \(more than 2,000 users\): POST \/v1\/campaigns\/cmp_.*\/submit/,
    );

    const { hash, requiredApprovers, reasons, usersAtMost, usersExpected } = await submit(id);
    const expected = { atLeast: 1000, atMost: 1000 };
    expect(usersExpected).toEqual({ SG: expected, ID: expected, VN: expected });
    expect({ requiredApprovers, reasons, usersAtMost }).toEqual({
      requiredApprovers: 1,
      reasons: ['more than 2,000 users'],
      usersAtMost: { SG: 1050, ID: 1050, VN: 1050 },
    });
    expect(detailOf(await start(id))).toMatch(/it waits for approval, with 0 so far/);
    expect((await read(id)).state).toBe('in_review');

    expect(await approve(id, hash)).toMatchObject({ state: 'approved', given: [{ by: 'rahayu' }] });
    expect(await read(id)).toMatchObject({ state: 'draft', approval: { state: 'approved', submittedBy: 'mei' } });
    expect(verdictOf(await start(id))).toBe('200');
  });

  it('shows the approved users of each variant, and is void after any change of a variant', async () => {
    const variants = [
      { name: 'short', weight: 7000 },
      { name: 'long', weight: 3000 },
    ];
    const chain = [{ action: 'award-reward', params: {}, variants }];
    const { id } = await write('mei, manager', { chain });
    const { hash } = await submit(id, { usersAtMost: { SG: 1000, ID: 1000, VN: 1001 } });
    const answer = await asks('rahayu, approver', 'GET', `/approvals?campaignId=${id}`);
    const [approval] = z.object({ items: z.array(approvalShape) }).parse(answer.json()).items;
    expect(approval?.variants).toEqual([
      { name: 'short', weight: 7000, usersAtMost: 2101 },
      { name: 'long', weight: 3000, usersAtMost: 900 },
    ]);
    await approve(id, hash);
    const changed = [{ ...chain[0], variants: [variants[0], { ...variants[1], params: { text: 'other' } }] }];
    await asks('mei, manager', 'PATCH', `/campaigns/${id}`, { chain: changed });
    expect((await read(id)).approval?.state).toBe('void');
  });

  it('is enforced by the store of campaigns, whichever request starts a campaign', async () => {
    const { campaigns } = on.deps;
    const once = uuidOf('campaign', (await write()).id) ?? '';
    const daily = { cron: '0 9 * * *', zone: 'UTC' };
    const schedule = { type: 'recurring', ...daily };
    const recurring = uuidOf('campaign', (await write('mei, manager', { schedule })).id) ?? '';
    expect(await campaigns.start(once, null)).toMatchObject({ state: 'draft' });
    expect(await campaigns.startRecurring(recurring, recurrenceShape.parse(daily))).toMatchObject({ state: 'draft' });
    expect(await on.rowsOf('run_starts')).toEqual([]);
  });

  it('requires two approvers for larger campaigns and counts each approver once', async () => {
    const { id } = await write();
    const { hash, requiredApprovers } = await submit(id, { usersAtMost: { SG: 4000 } });
    expect(requiredApprovers).toBe(2);
    for (const person of ['rahayu, approver', 'rahayu, approver', 'rahayu, second key'] as const)
      expect(await approve(id, hash, person)).toMatchObject({ state: 'waiting', given: [{ by: 'rahayu' }] });
    expect(verdictOf(await start(id))).toBe('409 approval-needed');
    expect(await approve(id, hash, 'wei, approver')).toMatchObject({ state: 'approved' });
    expect(verdictOf(await start(id))).toBe('200');
  });

  it('requires another approver after the policy became stricter', async () => {
    const { id } = await write();
    const { hash } = await submit(id);
    await approve(id, hash);
    await setPolicy({ rules: [{ usersAbove: 2000, approvers: 2 }] });
    expect(verdictOf(await start(id))).toBe('409 approval-needed');
    await approve(id, hash, 'wei, approver');
    expect(verdictOf(await start(id))).toBe('200');
  });

  it.each<[string, object, boolean]>([
    ['another audience', { audience: { include: [{ segment: 'others' }] } }, true],
    ['another parameter', { chain: [{ action: 'send-message', params: { template: 'other' } }] }, true],
    ['another time', { schedule: { type: 'at', time: '2026-02-01T00:00:00Z' } }, true],
    ['another pace', { paceUsersPerSecond: 10 }, true],
    ['another limit of failures', { pauseAtFailedPercent: 50 }, true],
    ['another canary', { canary: { users: 100 } }, true],
    ['another name alone', { name: 'Lapsed riders' }, false],
    ['what is said about it', { tags: ['payday'] }, false],
  ])('makes an approval void if the content changes: %s', async (_, change, isVoid) => {
    const { id } = await write();
    await approve(id, (await submit(id)).hash);
    expect(verdictOf(await asks('mei, manager', 'PATCH', `/campaigns/${id}`, change))).toBe('200');
    const [field = ''] = Object.keys(change);
    const voided = { state: 'void', stateReason: `${field} changed after it` };
    expect((await read(id)).approval).toMatchObject(isVoid ? voided : { state: 'approved' });
    expect(verdictOf(await start(id))).toBe(isVoid ? '409 approval-needed' : '200');
  });

  it('makes an approval void after a change of a budget, because the change creates a revision', async () => {
    const chain = [{ action: 'award-reward', unitsPerUser: 1 }];
    const { id } = await write('mei, manager', { chain, budgets: [{ country: 'SG', units: 500 }] });
    const { hash, unitsAtMost } = await submit(id);
    expect(unitsAtMost).toBe(500 + 1050 + 1050);
    await approve(id, hash);
    const raised = { budgets: [{ country: 'SG', units: 501 }] };
    expect(verdictOf(await asks('tan, manager', 'PATCH', `/campaigns/${id}/budgets`, raised))).toBe('200');
    expect(await read(id)).toMatchObject({
      revision: 2,
      approval: { state: 'void', stateReason: 'budgets changed after it' },
    });
    // Tan raised the budget and is now an author. Rahayu is not an author, so this vote counts.
    const again = await submit(id);
    expect(verdictOf(await asks('rahayu, approver', 'POST', `/campaigns/${id}/approve`, { hash: again.hash }))).toBe(
      '200',
    );
  });

  it('allows raising the budget of a started campaign up to the approved budget and no further', async () => {
    await setPolicy({ rules: [{ unitsAbove: 1000, approvers: 1 }] });
    const chain = [{ action: 'award-reward', unitsPerUser: 2 }];
    const { id } = await write('mei, manager', { chain, countries: ['SG'], budgets: [{ country: 'SG', units: 1500 }] });
    await approve(id, (await submit(id)).hash);
    await start(id);
    const change = async (units: number) =>
      verdictOf(
        await asks('mei, manager', 'PATCH', `/campaigns/${id}/budgets`, { budgets: [{ country: 'SG', units }] }),
      );
    expect(await change(900)).toBe('200');
    expect(await change(1500)).toBe('200');
    expect(await change(1501)).toBe('409 approval-needed');
  });

  it.each([
    ['users alone', [{ usersAbove: 100, approvers: 1 }]],
    ['nothing any more', []],
  ])('keeps an approved budget as an upper bound if the policy now requires %s', async (_, rules) => {
    await setPolicy({ rules: [{ usersAbove: 100, approvers: 1 }] });
    const chain = [{ action: 'award-reward', unitsPerUser: 1 }];
    const { id } = await write('mei, manager', { chain, countries: ['SG'], budgets: [{ country: 'SG', units: 200 }] });
    await approve(id, (await submit(id)).hash);
    await start(id);
    await setPolicy({ rules });
    const to = (units: number) => ({ budgets: [{ country: 'SG', units }] });
    const raise = async () => verdictOf(await asks('mei, manager', 'PATCH', `/campaigns/${id}/budgets`, to(900)));
    expect(await raise()).toBe('409 approval-needed');
    const list = await asks('mei, manager', 'GET', `/campaigns/${id}/budgets`);
    expect(list.json()).toMatchObject({ items: [{ country: 'SG', raisableTo: 200 }] });

    const submitted = approvalSummary.parse(
      (await asks('mei, manager', 'POST', `/campaigns/${id}/submit`, to(900))).json(),
    );
    expect(submitted).toMatchObject({ raisesBudgets: true, state: 'waiting', requiredApprovers: 1 });
    // Withdrawals by the author remove the approvals, but do not permit a larger raise.
    for (const _verb of [1, 2]) await asks('mei, manager', 'POST', `/campaigns/${id}/withdraw`);
    expect(await raise()).toBe('409 approval-needed');

    const again = approvalSummary.parse(
      (await asks('mei, manager', 'POST', `/campaigns/${id}/submit`, to(900))).json(),
    );
    expect(await approve(id, again.hash)).toMatchObject({ state: 'approved' });
    expect((await read(id)).budgets).toEqual(to(900).budgets);
  });

  describe('the approver', () => {
    it.each<[string, Person, string]>([
      ['not the author with another key', 'mei, approver', '403 author-approves-not'],
      ['not with a key without an owner', 'no owner, approver', '403 author-approves-not'],
      ['not a manager', 'tan, manager', '403 forbidden'],
      ['another approver', 'rahayu, approver', '200'],
    ])('is accepted or refused: %s', async (_, person, verdict) => {
      const { id } = await write();
      const { hash, id: approvalId } = await submit(id);
      const seen = approvalShape.parse((await asks(person, 'GET', `/approvals/${approvalId}`)).json());
      expect(seen.refusedToYou === null).toBe(verdict === '200');
      expect(verdictOf(await asks(person, 'POST', `/campaigns/${id}/approve`, { hash }))).toBe(verdict);
    });

    it('is refused after writing a part of the campaign since the last approval', async () => {
      const { id } = await write('tan, manager');
      await asks('mei, manager', 'PATCH', `/campaigns/${id}`, { paceUsersPerSecond: 10 });
      const first = await submit(id, {}, 'tan, manager');
      const byMei = () => asks('mei, approver', 'POST', `/campaigns/${id}/approve`, { hash: first.hash });
      expect(verdictOf(await byMei())).toBe('403 author-approves-not');
      await approve(id, first.hash);
      // Only tan changed the content since the approval, so mei may approve.
      await asks('tan, manager', 'PATCH', `/campaigns/${id}`, { paceUsersPerSecond: 20 });
      const second = await submit(id, {}, 'tan, manager');
      expect(await approve(id, second.hash, 'mei, approver')).toMatchObject({ state: 'approved' });
    });

    it('must be distinguishable from the author: a campaign that a key without an owner wrote cannot be submitted', async () => {
      const { id } = await write('no owner, manager');
      expect(verdictOf(await asks('mei, manager', 'POST', `/campaigns/${id}/submit`))).toBe('403 author-approves-not');
    });

    it('must send the hash of the content, and another hash is refused', async () => {
      const { id } = await write();
      const { hash } = await submit(id);
      const { hash: wider } = await submit(id, { usersAtMost: { SG: 2000 } });
      const answer = await asks('rahayu, approver', 'POST', `/campaigns/${id}/approve`, { hash });
      expect(verdictOf(answer)).toBe('409 revision-changed');
      expect(
        verdictOf(await asks('rahayu, approver', 'POST', `/campaigns/${id}/approve`, { hash: 'f'.repeat(64) })),
      ).toBe('409 revision-changed');
      expect(await approve(id, wider)).toMatchObject({ state: 'approved' });
    });
  });

  describe('the list of approvals', () => {
    it('shows pending approvals with the content that they cover and the previous approval', async () => {
      const { id } = await write();
      await approve(id, (await submit(id)).hash);
      await asks('mei, manager', 'PATCH', `/campaigns/${id}`, { deadlineSeconds: 3600 });
      await submit(id);
      const page = pageShape(approvalShape).parse(
        (await asks('rahayu, approver', 'GET', '/approvals?state=waiting')).json(),
      );
      expect(page.items).toMatchObject([
        {
          campaignId: id,
          campaignName: 'Lapsed riders, December',
          revision: 2,
          covers: { deadlineSeconds: 3600, usersAtMost: { SG: 1050 } },
          diff: { from: 1, to: 2, differences: [{ pointer: '/deadlineSeconds', before: 86_400, after: 3600 }] },
          refusedToYou: null,
          submittedBy: 'mei',
        },
      ]);
    });

    it('shows decided approvals with their results', async () => {
      const { id } = await write();
      await submit(id);
      await asks('rahayu, approver', 'POST', `/campaigns/${id}/send-back`, { comment: 'no hold-out?' });
      const page = pageShape(approvalShape).parse((await on.ask('GET', `/v1/approvals?campaignId=${id}`)).json());
      expect(page.items).toMatchObject([{ state: 'sent-back', stateReason: 'no hold-out?' }]);
    });
  });

  it('records each step in the audit log', async () => {
    const { id } = await write();
    await approve(id, (await submit(id)).hash);
    const { items } = pageShape(auditRecord).parse((await on.ask('GET', '/v1/audit')).json());
    expect(items.map(({ route, keyName }) => `${route} ${keyName ?? ''}`)).toEqual([
      '/v1/campaigns/:id/approve rahayu, approver',
      '/v1/campaigns/:id/submit mei, manager',
      '/v1/campaigns mei, manager',
      '/v1/approval-policy a test',
    ]);
    expect(items.at(-1)?.detail).toMatchObject({ from: [], to: [{ usersAbove: 2000, approvers: 1 }, {}] });
  });
});

describe('the approval policy', () => {
  it('gets a new revision with each change and refuses a change of an outdated revision', async () => {
    const first = { revision: 0, rules: [], approversSignIn: false, madeAt: null };
    expect((await on.ask('GET', '/v1/approval-policy')).json()).toEqual(first);
    await setPolicy();
    const put = (etag: string) =>
      on.api.server.inject({
        method: 'PUT',
        url: '/v1/approval-policy',
        headers: { authorization: `Bearer muster_the-key-of-the-tests`, 'if-match': etag },
        payload: { rules: [] },
      });
    expect(verdictOf(await put('"0"'))).toBe('412 precondition-failed');
    expect((await put('"1"')).json()).toMatchObject({ revision: 2, rules: [] });
  });
});
