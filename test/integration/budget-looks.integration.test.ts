import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { shortages } from '../../services/trigger/keep/postgres/run-statements.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { explained, pagesOf, type Plan } from '../support/explained.ts';
import { databaseForFile } from '../support/file-database.ts';

const database = databaseForFile(createHotPathPool);
const countries = ['SG', 'ID', 'VN'];
/** Reservations of each feed. */
const reservations = 4;

beforeEach(() => database.empty());

/**
 * Adds open runs of several campaigns, begun in turn, as the scheduler does it. Each has a feed in each country, three
 * steps, and totals of four workers.
 */
async function addRuns(campaigns: readonly string[], runsOfEach: number): Promise<void> {
  await database.pool.query(
    `insert into budgets (campaign, country, units) select c, country, 1000000 from unnest($1::uuid[]) c,
       unnest($2::text[]) country on conflict do nothing`,
    [campaigns, countries],
  );
  await database.pool.query(insertRuns, [campaigns, runsOfEach, countries, reservations]);
  await vacuum();
}

async function vacuum(): Promise<void> {
  await database.pool.query(
    'vacuum analyze runs, feeds, batches, batch_steps, run_totals, budgets, budget_reservations',
  );
}

/** Lets the first batch of some runs of the campaign wait for its budget in each country, and returns their ids. */
async function letWait(campaign: string, runs: number): Promise<string[]> {
  const { rows } = await database.pool.query<{ run: string }>(
    `update budget_reservations v set granted = false
     from feeds f
     where v.feed = f.feed and v.batch_no = 1
       and f.run in (select id from runs where campaign = $1 order by id limit $2)
     returning f.run`,
    [campaign, runs],
  );
  await vacuum();
  return [...new Set(rows.map(({ run }) => run))];
}

/** Ids ascend with the time, as the engine's do; what workers write is in the order of its time, over all feeds. */
const insertRuns = `
  with r as (
    insert into runs (id, campaign, revision, scheduled_for, state, deadline_at, started_at)
    select uuid_of_now(), c, 1, now() + n * interval '1 minute', 'running', now() + interval '1 day', now()
    from generate_series(1, $2::int) n, unnest($1::uuid[]) c order by n returning id
  ), f as (
    insert into feeds (feed, run, country, segment, snapshot, next_batch_no, fed_users, complete, step_units)
    select uuid_of_now(), id, country, 's', 's', 11, 1000, true, '{2,0,3}' from r, unnest($3::text[]) country
    returning feed
  ), t as (
    insert into run_totals (feed, step, slot, batches, succeeded, done)
    select feed, step, slot, 1, 100, 1 from generate_series(0, 3) slot, f, generate_series(1, 3) step
  ), b as (
    insert into batches (feed, batch_no, n, first_user, last_user, users)
    select feed, n, 1, 'u', 'u', '"u"' from generate_series(1, $4::int + 1) n, f
  ), s as (
    insert into batch_steps (feed, batch_no, step, state, epoch, next_attempt_at)
    select feed, 1, 1, 2, 1, now() + interval '1 day' from f
  )
  insert into budget_reservations (feed, batch_no, step, units, granted)
  select feed, n, 1, 2, true from generate_series(1, $4::int) n, f`;

/** Returns the pages that another reservation of the campaign reads, in a session that has reserved before. */
async function pagesOfReservation(campaign: string): Promise<number> {
  const { rows } = await database.pool.query<{ feed: string }>(
    `select f.feed from feeds f join runs r on r.id = f.run where r.campaign = $1 and f.country = 'SG' limit 1`,
    [campaign],
  );
  const client = await database.pool.connect();
  const pages: number[] = [];
  try {
    for (let read = 0; read < 3; read++) {
      await client.query('begin');
      const reserve = `${explained} select * from reserve_budgets($1, $2, $3)`;
      const values = [[rows[0]?.feed], [reservations + 1], [1]];
      const { rows: plans } = await client.query<Plan>(reserve, values);
      pages.push(pagesOf(plans[0]));
      await client.query('rollback');
    }
  } finally {
    client.release();
  }
  return pages.at(-1) ?? Number.NaN;
}

/** Returns the pages that the keeper reads to compute the rest of the budgets that these runs wait for. */
async function pagesOfShortages(runs: readonly string[]): Promise<number> {
  expect((await database.pool.query(shortages, [runs])).rows).toHaveLength(countries.length * runs.length);
  const { rows } = await database.pool.query<Plan>(`${explained} ${shortages}`, [runs]);
  return pagesOf(rows[0]);
}

const someCampaigns = (count: number) => Array.from({ length: count }, () => randomUUID());

describe('the budget check', () => {
  const campaign = randomUUID();

  it('reads at most six pages for each open run of its campaign', async () => {
    const campaigns = [campaign, ...someCampaigns(4)];
    await addRuns(campaigns, 10);
    const withTen = await pagesOfReservation(campaign);
    await addRuns(campaigns, 190);
    expect((await pagesOfReservation(campaign)) - withTen).toBeLessThanOrEqual(6 * 190);
  });

  it('reads a constant number of pages, however many other campaigns exist', async () => {
    await addRuns([campaign], 20);
    const alone = await pagesOfReservation(campaign);
    for (const more of [4, 40]) {
      await addRuns(someCampaigns(more), 20);
      // The indexes may become a level deeper.
      expect(await pagesOfReservation(campaign)).toBeLessThanOrEqual(2 * alone);
    }
  });

  it('computes a budget once for all runs that wait for it', async () => {
    await addRuns([campaign, ...someCampaigns(4)], 50);
    const waiting = await letWait(campaign, 10);
    const ofOne = await pagesOfShortages(waiting.slice(0, 1));
    expect(await pagesOfShortages(waiting)).toBeLessThanOrEqual(2 * ofOne);
  });
});
