import { beforeEach, describe, expect, it } from 'vitest';
import { approvalSummary } from '../../../../shared/contracts/campaigns/approval-summary.ts';
import { noteSettings } from '../../../../shared/postgres/registry/service-settings.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf } from '../../../../test/support/approvals-on-api.ts';

const on = apiOnPostgres();
const { addPeople, approve, asks, read, setPolicy, submit, write } = approvalsOn(on);

const byAuthor = (verb: string, id: string, payload?: object) =>
  asks('mei, manager', 'POST', `/campaigns/${id}/${verb}`, payload);
const start = async (id: string) => verdictOf(await byAuthor('start', id));
const perCountry = (users: number) => ({ usersAtMost: { SG: users, ID: users, VN: users } });

beforeEach(addPeople);

describe('the approved number of users, after the policy was removed', () => {
  /** Returns a campaign with 1,000 users in each country that was approved for the given number of users. */
  async function approvedFor(users: number): Promise<string> {
    await setPolicy();
    const { id } = await write();
    await approve(id, (await submit(id, perCountry(users))).hash);
    await setPolicy({ rules: [] });
    return id;
  }

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['asks for more', (id) => submit(id)],
    ['asks for another number', (id) => submit(id, perCountry(800))],
    ['takes the approval back', (id) => byAuthor('withdraw', id)],
    ['asks for more, and takes that back', (id) => submit(id).then(() => byAuthor('withdraw', id))],
    ['changes the pace', (id) => asks('mei, manager', 'PATCH', `/campaigns/${id}`, { paceUsersPerSecond: 7 })],
    [
      'takes the approval back, and changes the name',
      (id) => byAuthor('withdraw', id).then(() => asks('mei, manager', 'PATCH', `/campaigns/${id}`, { name: 'Other' })),
    ],
    [
      'has it sent back',
      (id) => asks('rahayu, approver', 'POST', `/campaigns/${id}/send-back`, { comment: 'fewer, please' }),
    ],
  ])('remains an upper bound for the start even if the author %s', async (_, move) => {
    const id = await approvedFor(700);
    expect(await start(id)).toBe('409 approval-needed');
    await move(id);
    expect(await start(id)).toBe('409 approval-needed');
    const { hash, requiredApprovers, reasons } = await submit(id);
    expect({ requiredApprovers, reasons }).toEqual({ requiredApprovers: 1, reasons: ['more than was approved'] });
    await approve(id, hash);
    expect(await start(id)).toBe('200');
  });

  it('allows a start with fewer users without another approval', async () => {
    const id = await approvedFor(1000);
    await byAuthor('withdraw', id);
    expect(await start(id)).toBe('200');
  });
});

describe('the approved money', () => {
  it('remains an upper bound: after a price rise, the campaign needs another approval even if the policy requires none', async () => {
    await noteSettings(on.pool, 'api', { MUSTER_CURRENCY: 'SGD' });
    const price = (each: string) => on.ask('PATCH', '/v1/action-types/award-reward', { price: each });
    await price('0.50');
    await setPolicy({ rules: [{ amountAbove: '1000', approvers: 1 }] });
    const { id } = await write('mei, manager', { chain: [{ action: 'award-reward', unitsPerUser: 1 }] });
    const { usersAtMost } = await submit(id);
    await approve(id, (await read(id)).approval?.hash ?? '');
    await setPolicy({ rules: [] });
    await price('0.60');
    expect(await start(id)).toBe('409 approval-needed');
    // Requests approval for the same number of users as before, which now cost more.
    const submitted = await byAuthor('submit', id, { usersAtMost });
    expect(verdictOf(submitted)).toBe('200');
    await approve(id, approvalSummary.parse(submitted.json()).hash);
    expect(await start(id)).toBe('200');
  });
});

describe('the number of approvers', () => {
  it('stays at one after a second person approves under a stricter policy that is removed later', async () => {
    await setPolicy();
    const { id } = await write();
    const { hash, requiredApprovers } = await submit(id, perCountry(700));
    expect(requiredApprovers).toBe(1);
    await approve(id, hash);
    await setPolicy({ rules: [{ usersAbove: 2000, approvers: 2 }] });
    expect(await approve(id, hash, 'wei, approver')).toMatchObject({ state: 'approved', requiredApprovers: 1 });
    await setPolicy({ rules: [] });
    expect(await submit(id)).toMatchObject({ requiredApprovers: 1, reasons: ['more than was approved'] });
  });
});
