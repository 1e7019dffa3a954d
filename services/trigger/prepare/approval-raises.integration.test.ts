import { beforeEach, describe, expect, it } from 'vitest';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf, whileSumsAreLocked } from '../../../test/support/approvals-on-api.ts';
import { judgedRunsOn } from '../../../test/support/judged-runs.ts';
import { untilOneWaits, untilSessionsWait } from '../../../test/support/lock-waits.ts';

const on = apiOnPostgres();
const people = approvalsOn(on);
const { addPeople, asks, setPolicy } = people;
const { approvals, cleared, fedUpTo, madeRun, newRun, writeFor } = judgedRunsOn(on, people);

beforeEach(addPeople);

describe('a raise of a budget without an approval', () => {
  const raise = async (id: string, units: number) =>
    asks('mei, manager', 'PATCH', `/campaigns/${id}/budgets`, { budgets: [{ country: 'SG', units }] });

  /** Returns a campaign that was started with this number of units, and whose run has fed a number of users. */
  async function startedFor(units: number, fedUsers = 0): Promise<string> {
    const campaign = await writeFor('SG', 'mei, manager', { budgets: [{ country: 'SG', units }] });
    await asks('mei, manager', 'POST', `/campaigns/${campaign.id}/start`);
    const runId = await madeRun(campaign);
    const answer = (await approvals().clear(runId, { SG: 1000 })) ?? expect.fail('it waits');
    if (fedUsers > 0) expect(await fedUpTo(fedUsers, runId, answer)).toBe(fedUsers);
    return campaign.id;
  }

  async function inTurn(ids: readonly string[], ask: (id: string) => ReturnType<typeof raise>): Promise<string[]> {
    const verdicts = [];
    for (const id of ids) verdicts.push(verdictOf(await ask(id)));
    return verdicts;
  }

  beforeEach(() => setPolicy({ rules: [{ unitsAbove: 100, approvers: 1 }] }));

  it('is judged together with the starts of other campaigns', async () => {
    const first = await startedFor(30);
    await startedFor(30);
    const refused = await raise(first, 71);
    expect(verdictOf(refused)).toBe('409 approval-needed');
    expect(refused.json<{ detail: string }>().detail).toContain(
      'more than 100 units within 24 hours by mei: 30 units set going without approval already, 71 units with this',
    );
    expect(verdictOf(await raise(first, 70))).toBe('200');
    // The raise is part of the sum from then on.
    expect(await cleared(await newRun('SG'), { SG: 1 })).toBe('waits');
  });

  it.each([
    ['are 25 hours old', `update unapproved_starts set at = at - interval '25 hours'`],
    ['are already deleted', 'delete from unapproved_starts'],
    ['were never counted', 'with f as (update feeds set max_users = null) delete from unapproved_starts'],
  ])('counts at the time of the raise if the rows of its runs %s', async (_, later) => {
    const ids = [await startedFor(30, 40), await startedFor(30, 40)];
    await on.pool.query(later);
    expect(await inTurn(ids, (id) => raise(id, 70))).toEqual(['200', '409 approval-needed']);
    // The second raise may use only the rest of the sum.
    expect(await inTurn(ids.slice(1), (id) => raise(id, 30))).toEqual(['200']);
    await on.pool.query(`update unapproved_starts set at = at - interval '25 hours'`);
    expect(await inTurn(ids.slice(1), (id) => raise(id, 70))).toEqual(['200']);
  });

  it('does not count runs that have ended', async () => {
    const ids = [await startedFor(30, 40), await startedFor(30, 40)];
    await on.pool.query(`update unapproved_starts set at = at - interval '25 hours'`);
    await on.pool.query(`update runs set state = 'completed', ended_at = now()`);
    expect(await inTurn(ids, (id) => raise(id, 70))).toEqual(['200', '200']);
  });

  it('does not count if the change lowers the budget', async () => {
    const ids = [await startedFor(30, 40), await startedFor(30, 40)];
    await on.pool.query(`update unapproved_starts set at = at - interval '25 hours'`);
    expect(await inTurn(ids, (id) => raise(id, 25))).toEqual(['200', '200']);
    expect(await cleared(await newRun('SG'), { SG: 40 })).toEqual({ SG: 42 });
  });

  it('never exceeds the policy together with a concurrent raise for another country of the campaign', async () => {
    const budgets = ['SG', 'ID'].map((country) => ({ country, units: 30 }));
    const { id } = await writeFor('SG', 'mei, manager', { countries: ['SG', 'ID'], budgets });
    await asks('mei, manager', 'POST', `/campaigns/${id}/start`);
    const raiseOf = (country: string) =>
      asks('mei, manager', 'PATCH', `/campaigns/${id}/budgets`, { budgets: [{ country, units: 70 }] });
    const answers = await whileSumsAreLocked(on.pool, async (release) => {
      const both = Promise.all(['SG', 'ID'].map(raiseOf));
      await untilSessionsWait(on.pool, 2);
      await release('select');
      return both;
    });
    expect(answers.map(verdictOf).toSorted()).toEqual(['200', '409 approval-needed']);
  });

  it('limits a run that was waiting for the lock of the sums', async () => {
    const campaign = await writeFor('SG', 'mei, manager', { budgets: [{ country: 'SG', units: 30 }] });
    const runId = await madeRun(campaign);
    const answer = await whileSumsAreLocked(on.pool, async (release) => {
      const clearing = cleared(runId, { SG: 1000 });
      await untilOneWaits(on.pool);
      await release('update budgets set units = 101');
      return clearing;
    });
    expect(answer).toBe('waits');
  });

  it('never exceeds the policy together with three concurrent raises', async () => {
    const ids = [await startedFor(10), await startedFor(10), await startedFor(10), await startedFor(10)];
    const verdicts = await Promise.all(ids.map(async (id) => verdictOf(await raise(id, 40))));
    expect(verdicts.toSorted()).toEqual(['200', '200', '409 approval-needed', '409 approval-needed']);
  });
});
