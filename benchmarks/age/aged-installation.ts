import { pino } from 'pino';
import { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { createHotPathPool, createPool } from '../../shared/postgres/connection/pool.ts';
import { createDatabase } from '../own-database.ts';
import { batchUsers, writeFeed } from '../written-run.ts';
import { addEndedRuns, addToPastUnits, sumUpAllRuns } from './ended-runs.ts';

/**
 * A database with a history of `days` of ended runs. SQL writes the rows in the form that the engine leaves. Of a
 * hundred runs a day, 96 belong to one campaign with a budget, which runs every 15 minutes. The youngest run has not
 * ended.
 */
export interface AgedInstallation {
  pool: Pool;
  /** Pool with the settings of the workers. */
  hotPool: Pool;
  /** Feed of the run that has not ended. */
  feedId: string;
  runId: string;
  campaignId: string;
  /** The only run of its campaign, older than all others. */
  oldest: { campaignId: string; runId: string };
  end: () => Promise<void>;
}

export const runsADay = 100;
export const countries = ['SG', 'ID', 'VN', 'MY', 'TH'] as const;
/** Batches of the run that has not ended: more than the benchmark claims. */
const openBatches = 20_000;
/** Slots (rows of totals) of each run of the control: one for each worker that served the run. */
const slotsPerControlRun = 8;

export interface AgeTerms {
  days: number;
  /**
   * True writes several slots of totals for each run, and a budget that sums up all runs of its campaign. Product code
   * no longer leaves rows in this form.
   */
  isControl: boolean;
}

export async function openAgedInstallation(
  serverUrl: string,
  { days, isControl }: AgeTerms,
): Promise<AgedInstallation> {
  const { url, drop } = await createDatabase(serverUrl);
  await migrate(url);
  const deps = { connectionString: url, applicationName: 'age', logger: pino({ level: 'silent' }) };
  const [pool, hotPool] = [createPool(deps), createHotPathPool(deps)];
  // This pool has no statement timeouts, because one statement writes years of runs.
  const writer = new Pool({ connectionString: url, max: 1 });
  const campaignId = await addCampaign(writer, 'every 15 minutes', 10n ** 12n);
  const others = await addCampaign(writer, 'four times a day', null);
  const oldCampaign = await addCampaign(writer, 'once', null);
  const slots = isControl ? slotsPerControlRun : 1;
  const shape = { countries, steps: 2, slots };
  await addEndedRuns(writer, { campaignId: oldCampaign, from: days * runsADay + 1, to: days * runsADay + 1, ...shape });
  for (const [campaign, share] of [
    [campaignId, 0.96],
    [others, 0.04],
  ] as const) {
    const runs = Math.round(days * runsADay * share);
    await addEndedRuns(writer, { campaignId: campaign, from: 1, to: runs, ...shape });
  }
  if (isControl) await sumUpAllRuns(writer);
  else await addToPastUnits(writer);
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
  await pool.query('insert into revisions (campaign, revision, definition) values ($1, 1, $2)', [
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
