import { expect, it } from 'vitest';
import { addWaitingRuns } from '../../benchmarks/crowd/waiting-runs.ts';
import { claim } from '../../services/trigger/feed/postgres/feed-statements.ts';
import { explained, pagesOf, type Plan } from '../support/explained.ts';
import { databaseForFile } from '../support/file-database.ts';

const database = databaseForFile();
const crowd = { countries: ['SG', 'ID', 'VN', 'MY', 'TH'], chain: [{ action: 'award-points' }], slots: 1 };

/** Pages that a look for feeds reads, which finds none, beside so many more runs that are fed and wait. */
async function pagesBeside(runs: number): Promise<number> {
  await addWaitingRuns(database.pool, { ...crowd, runs });
  const looking = claim.with({
    owner: 'trigger',
    leaseMs: 1000,
    limit: 10,
    withStalled: true,
    withoutDry: false,
    direction: 1,
  });
  const { rows } = await database.pool.query<Plan>(`${explained} ${looking.text}`, looking.values ?? []);
  return pagesOf(rows[0]);
}

it('runs that are fed and wait cost the look for feeds nothing: it reads as much beside ten times as many', async () => {
  const besideFew = await pagesBeside(100);
  expect(await pagesBeside(900)).toBeLessThanOrEqual(besideFew + 2);
});
