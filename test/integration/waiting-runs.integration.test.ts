import { describe, expect, it } from 'vitest';
import { addWaitingRuns } from '../../benchmarks/crowd/waiting-runs.ts';
import { claim, listFeeds } from '../../services/trigger/feed/postgres/feed-statements.ts';
import { listRuns } from '../../services/trigger/keep/postgres/run-statements.ts';
import { nextDue } from '../../services/trigger/sweep/postgres/sweep-statements.ts';
import { plainArray } from '../../shared/postgres/connection/array-literals.ts';
import { explained, pagesOf, type Plan } from '../support/explained.ts';
import { databaseForFile } from '../support/file-database.ts';

const database = databaseForFile();
const crowd = { countries: ['SG', 'ID', 'VN', 'MY', 'TH'], chain: [{ action: 'award-points' }], slots: 1 };
const longestTransactionMs = 15 * 60_000;
/** Feeds whose due times one look reads. */
const feedsOfLook = 100;

interface Requested {
  text: string;
  values?: unknown[];
}

async function pagesReadBy({ text, values = [] }: Requested): Promise<number> {
  const { rows } = await database.pool.query<Plan>(`${explained} ${text}`, values);
  return pagesOf(rows[0]);
}

/** Returns the pages that the looks of a trigger read, beside this many more runs that are fed and wait. */
async function pagesWith(runs: number): Promise<Record<string, number>> {
  await addWaitingRuns(database.pool, { ...crowd, runs });
  await database.pool.query('vacuum analyze runs, feeds, agenda');
  const looking = claim.with({
    owner: 'trigger',
    leaseMs: 1000,
    limit: 10,
    withStalled: true,
    withoutDry: false,
    direction: 1,
  });
  const { rows } = await database.pool.query<{ since: string; feeds: string[] }>(
    `select now()::text as since, array(select feed::text from feeds limit ${feedsOfLook}) as feeds`,
  );
  const { since = '', feeds = [] } = rows[0] ?? {};
  expect(feeds).toHaveLength(feedsOfLook);
  return {
    claim: await pagesReadBy(looking),
    listRuns: await pagesReadBy({ text: listRuns, values: [since, longestTransactionMs] }),
    listFeeds: await pagesReadBy(listFeeds.with({ since, reachMs: longestTransactionMs })),
    nextDue: await pagesReadBy(nextDue.with({ feeds: plainArray(feeds), withinMs: 120_000 })),
  };
}

describe('the queries of a trigger beside runs that wait', () => {
  it('read the same number of pages with ten times the runs, for feeds, runs and due steps', async () => {
    const withFew = await pagesWith(100);
    const withMany = await pagesWith(900);
    expect(withMany['claim']).toBeLessThanOrEqual((withFew['claim'] ?? 0) + 2);
    expect(withMany['listRuns']).toBeLessThanOrEqual((withFew['listRuns'] ?? 0) + 2);
    expect(withMany['listFeeds']).toBeLessThanOrEqual((withFew['listFeeds'] ?? 0) + 2);
    // The index of the larger table may be a level deeper.
    expect(withMany['nextDue']).toBeLessThanOrEqual((withFew['nextDue'] ?? 0) + feedsOfLook + 2);
    expect(withMany['nextDue']).toBeLessThanOrEqual(5 * feedsOfLook);
  });
});
