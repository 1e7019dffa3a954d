import { pino } from 'pino';
import { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { createHotPathPool, createPool } from '../../shared/postgres/connection/pool.ts';
import { createDatabase } from '../own-database.ts';
import { batchUsers, writeFeed } from '../written-run.ts';

/**
 * A database with so many days of ended runs behind it, written by SQL as the engine leaves them: of a hundred runs a
 * day, 96 are of one campaign with a budget, which runs every 15 minutes. Its youngest run goes on.
 */
export interface AgedInstallation {
  pool: Pool;
  /** As workers have it. */
  hotPool: Pool;
  /** Of the run that goes on. */
  feedId: string;
  runId: string;
  campaignId: string;
  /** The only run of its campaign, older than all others. */
  oldest: { campaignId: string; runId: string };
  end: () => Promise<void>;
}

export const runsADay = 100;
export const countries = ['SG', 'ID', 'VN', 'MY', 'TH'] as const;
/** Batches of the run that goes on: more than are claimed. */
const openBatches = 20_000;
const runsPerStatement = 500;
/** Of a control's runs: as many as workers that had a part in each. */
const slotsUnmerged = 8;

export interface AgeTerms {
  days: number;
  /** As nothing leaves them any more: totals in slots, and a budget that sums up all runs of its campaign. */
  isControl: boolean;
}

export async function openAged(serverUrl: string, { days, isControl }: AgeTerms): Promise<AgedInstallation> {
  const { url, drop } = await createDatabase(serverUrl);
  await migrate(url);
  const deps = { connectionString: url, applicationName: 'age', logger: pino({ level: 'silent' }) };
  const [pool, hotPool] = [createPool(deps), createHotPathPool(deps)];
  // Without the time-outs of services: years are written at once.
  const writer = new Pool({ connectionString: url, max: 1 });
  const campaignId = await addCampaign(writer, 'every 15 minutes', 10n ** 12n);
  const others = await addCampaign(writer, 'four times a day', null);
  const oldCampaign = await addCampaign(writer, 'once', null);
  const slots = isControl ? slotsUnmerged : 1;
  await addEnded(writer, { campaignId: oldCampaign, from: days * runsADay + 1, to: days * runsADay + 1, slots });
  for (const [campaign, share] of [
    [campaignId, 0.96],
    [others, 0.04],
  ] as const) {
    const runs = Math.round(days * runsADay * share);
    for (let from = 1; from <= runs; from += runsPerStatement) {
      const to = Math.min(runs, from + runsPerStatement - 1);
      await addEnded(writer, { campaignId: campaign, from, to, slots });
    }
  }
  if (isControl) await sumUpAllRuns(writer);
  else await spendForGood(writer);
  const { runId, feedId } = await addOpenRun(writer, campaignId);
  await writer.query('vacuum (analyze)');
  await writer.end();
  const { rows } = await pool.query<{ id: string }>('select id from runs where campaign = $1', [oldCampaign]);
  return {
    pool,
    hotPool,
    feedId,
    runId,
    campaignId,
    oldest: { campaignId: oldCampaign, runId: rows[0]?.id ?? '' },
    end: async () => {
      await Promise.all([pool.end(), hotPool.end()]);
      await drop();
    },
  };
}

async function addCampaign(pool: Pool, name: string, units: bigint | null): Promise<string> {
  const campaignId = uuidv7();
  const chain = [
    { action: 'award-reward', params: {}, unitsPerUser: 1 },
    { action: 'send-message', params: {} },
  ];
  const definition = { name, countries, audience: { include: [{ segment: 'all' }] }, chain, schedule: { type: 'now' } };
  await pool.query(`insert into campaigns (id, name, state, revision) values ($1, $2, 'scheduled', 1)`, [
    campaignId,
    name,
  ]);
  await pool.query('insert into campaign_revisions (campaign, revision, definition) values ($1, 1, $2)', [
    campaignId,
    definition,
  ]);
  if (units !== null)
    await pool.query('insert into budgets (campaign, country, units) select $1, unnest($2::text[]), $3', [
      campaignId,
      countries,
      units,
    ]);
  return campaignId;
}

/** Ids ascend with the time, as the engine's do. `from` and `to` count back from today. */
async function addEnded(pool: Pool, run: { campaignId: string; from: number; to: number; slots: number }) {
  await pool.query(
    `with r as (
       insert into runs (id, campaign, revision, scheduled_for, state, created_at, deadline_at, started_at, ended_at)
       select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
           || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid, $1, 1, at, 'completed', at,
             at + interval '1 hour', at, at + interval '10 min'
       from (select now() - n * interval '15 min' as at from generate_series($2::int, $3::int) n) t
       returning id, campaign, started_at, ended_at
     ), e as (
       insert into run_events (run, at, kind) select id, started_at, kind from r, unnest(array['begun', 'ended']) kind
     ), p as (
       insert into run_points (run, slot, at, ended)
       select id, n * 10, started_at + n * interval '50 s', n * 1000 from r, generate_series(0, 11) n
     ), f as (
       insert into feeds (feed, run, country, segment, snapshot, next_batch_no, fed_users, complete, step_units)
       select gen_random_uuid(), id, country, 'all', 's1', 101, 10000, true, step_units(campaign, 1, country)
       from r, unnest($4::text[]) country returning feed
     )
     insert into run_totals (feed, step, slot, batches, succeeded, done, survived)
     select feed, step, slot, 100 / $5::int, 10000 / $5::int, 100 / $5::int, 100 / $5::int
     from f, generate_series(1, 2) step, generate_series(1, $5::int) slot`,
    [run.campaignId, run.from, run.to, countries, run.slots],
  );
}

/** What the ends of these runs have added. */
const spent = `
  select r.campaign, f.country, sum((t.succeeded + t.unknown) * f.step_units[t.step])::bigint as units
  from runs r join feeds f on f.run = r.id join run_totals t on t.feed = f.feed
  where f.step_units is not null group by r.campaign, f.country`;

async function spendForGood(pool: Pool): Promise<void> {
  await pool.query(
    `update budgets b set past_units = s.units from (${spent}) s where s.campaign = b.campaign and s.country = b.country`,
  );
}

async function sumUpAllRuns(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ view: string }>(`select pg_get_viewdef('budget_figures') as view`);
  const view = rows[0]?.view ?? '';
  const all = view.replaceAll(/ AND \(?r\.ended_at IS NULL\)?/g, '');
  if (all === view) throw new Error('the control is none: budget_figures leaves no runs out');
  await pool.query(`create or replace view budget_figures as ${all}`);
}

async function addOpenRun(pool: Pool, campaignId: string): Promise<{ runId: string; feedId: string }> {
  const runId = uuidv7();
  await pool.query(
    `insert into runs (id, campaign, revision, scheduled_for, state, deadline_at, started_at)
     values ($1, $2, 1, now(), 'running', now() + interval '1 day', now())`,
    [runId, campaignId],
  );
  const feedId = await writeFeed(pool, { runId, country: countries[0], first: 0, batches: openBatches }, []);
  await pool.query('update feeds set step_units = array[1, 0], fed_users = $2 where feed = $1', [
    feedId,
    openBatches * batchUsers,
  ]);
  return { runId, feedId };
}
