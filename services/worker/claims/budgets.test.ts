import { describe, expect, it } from 'vitest';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf, nothingUnstarted } from '../../../test/support/worker-fixture.ts';

const chain = [{ action: 'award-reward', params: {}, unitsPerUser: 2 }];

function batchesOf(name: string, count: number, users: number): string[][] {
  const id = (batch: number, user: number) => `${name}${String(batch * users + user).padStart(4, '0')}`;
  return Array.from({ length: count }, (_, batch) => Array.from({ length: users }, (__, user) => id(batch, user)));
}

describe('a worker of a campaign with a budget', () => {
  it('calls as many users as the budget allows, and splits the last batch so that it fits', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker();
    const budgets = [{ country: 'SG', units: 27 }];
    const { totals, runId } = await feed(batchesOf('u', 3, 5), { countries: ['SG'], chain, budgets });
    await passTimeUntil(clock, () => totals()[0]?.succeeded === 10);
    await passTime(clock, 1000);
    await sweepOverdue(runId);
    await passTimeUntil(clock, () => totals()[0]?.succeeded === 13);
    expect(endpoint.seen.map(({ call }) => call.users.length).sort()).toEqual([3, 5, 5]);
  });

  it('makes no call if the budget is too small for one user, and continues after it is raised', async () => {
    const { clock, database, endpoint, feed, sweepOverdue } = await createRunningWorker();
    const budgets = [{ country: 'SG', units: 1 }];
    const { totals, runId } = await feed(batchesOf('u', 2, 5), { countries: ['SG'], chain, budgets });
    await passTimeUntil(clock, () => database.agenda.size === 2);
    expect(endpoint.seen).toEqual([]);
    for (const budget of database.budgets.values()) budget.units = 20;
    await passTime(clock, 5000);
    await sweepOverdue(runId);
    await passTimeUntil(clock, () => totals()[0]?.succeeded === 10);
  });

  it('releases the budget units of failed users, so that other users are served', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker();
    endpoint.answer = ({ call }) =>
      answerOf(
        call.users.map((id) => (id < 'u0005' ? { id, status: 'failed', code: 'gone' } : { id, status: 'succeeded' })),
      );
    const budgets = [{ country: 'SG', units: 10 }];
    const { totals, runId } = await feed(batchesOf('u', 2, 5), { countries: ['SG'], chain, budgets });
    await passTimeUntil(clock, () => totals()[0]?.failed === 5);
    await passTime(clock, 5000);
    await sweepOverdue(runId);
    await passTimeUntil(clock, () => totals()[0]?.succeeded === 5);
  });

  it('retries while another transaction locks the budget row, and serves other runs meanwhile', async () => {
    const { clock, database, endpoint, feed } = await createRunningWorker({}, () => ({ unstarted: nothingUnstarted }));
    const budgets = [{ country: 'SG', units: 20 }];
    const locked = await feed(batchesOf('l', 2, 5), { countries: ['SG'], chain, budgets });
    for (const budget of database.budgets.values()) budget.isLocked = true;
    const other = await feed(batchesOf('o', 2, 5), { countries: ['SG'], chain });
    await passTimeUntil(clock, () => other.totals()[0]?.succeeded === 10);
    expect(endpoint.seen.flatMap(({ call }) => call.users).filter((user) => user.startsWith('l'))).toEqual([]);
    for (const budget of database.budgets.values()) budget.isLocked = false;
    // The worker retries by itself; no sweep takes place in this time.
    await passTime(clock, 1000);
    expect(locked.totals()[0]?.succeeded).toBe(10);
  });

  it('makes 100 calls of another run as fast beside 300 batches without budget as without them', async () => {
    async function timeOf(isWithStarved: boolean): Promise<number> {
      const { clock, endpoint, feed } = await createRunningWorker();
      endpoint.answer = async ({ call }) => {
        await clock.sleep(20);
        return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
      };
      const beginMs = clock.nowMs();
      const starved = { countries: ['SG'], chain, budgets: [{ country: 'SG', units: 0 }] };
      if (isWithStarved) await feed(batchesOf('s', 300, 1), starved);
      const { totals } = await feed(batchesOf('q', 100, 1), { chain: [{ action: 'award-reward', params: {} }] });
      await passTimeUntil(clock, () => totals()[0]?.succeeded === 100);
      return clock.nowMs() - beginMs;
    }
    const alone = await timeOf(false);
    expect(await timeOf(true)).toBeLessThan(1.2 * alone);
  });
});
