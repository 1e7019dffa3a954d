import type pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { addWaitingRuns } from '../../benchmarks/crowd/waiting-runs.ts';
import { cancelRun } from '../../sdk/generated/sdk.gen.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { timeAnswers } from './support/postgres-wire.ts';
import { startProxyBefore, type ProxyBefore } from './support/proxy-before.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';
import { openTestPool } from '../support/test-pool.ts';

const countries = ['SG', 'ID', 'VN', 'MY', 'TH'];
const [large, small] = ['lapsed-riders', 'few-riders'];
/** In the last crowd, the trigger has just started and still has to read the runs. */
const crowds = [{ runs: 1000 }, { runs: 5000 }, { runs: 5000, restarted: true }];
/** Slots of totals, which 100 workers share. */
const slots = 64;
/** Slots and latency allow 400 batches per second. */
const concurrency = 80;
const latencyMs = 200;
const countedMs = 10_000;
/**
 * Rows of totals for each look of the admission and of the keeper, which cover at most 40 and 400 feeds of the crowd. A
 * look at 1,000 runs at once reads 320,000 rows.
 */
const fewRows = 30_000;
const isAdmissionsLook = (sql: string) => sql.includes('as "paceAllows"');
const isKeepersLook = (sql: string) => sql.includes('as "overdueMs"') && sql.includes('r.id = any(');

/**
 * Counts the rows that a look reads. services/trigger/admit/crowd.test.ts proves with a settable clock that the
 * campaign keeps its rate and that a small campaign starts as if alone.
 */
describe('row 50: a campaign beside thousands of waiting runs', () => {
  let trial: Trial;
  let writer: pg.Pool;
  let proxy: ProxyBefore;
  let reads: ReturnType<typeof timeAnswers>;
  afterEach(async () => {
    await writer.end();
    await trial.end();
    await proxy.close();
  });

  async function begin(without?: FaultControl): Promise<void> {
    trial = await startTrial({
      workers: 1,
      countries,
      sandbox: {
        SANDBOX_SEGMENTS: `${large}=300000,${small}=100`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_POINTS_LATENCY_MS: String(latencyMs),
      },
      engine: { WORKER_CONCURRENCY: String(concurrency) },
      configure: (config) => {
        const { 'award-points': points } = config.actionTypes;
        if (!points) throw new Error('the configuration lacks an action type');
        const segmentation = { ...config.segmentation, pageSize: 1000 };
        const calls = { concurrency, batchSize: 10 };
        return { ...config, segmentation, actionTypes: { 'award-points': { ...points, ...calls } } };
      },
      ...(without && { without }),
    });
    const { url } = trial.muster.database;
    writer = openTestPool({ connectionString: url, max: 1 });
    reads = timeAnswers((sql) => isAdmissionsLook(sql) || isKeepersLook(sql));
    proxy = await startProxyBefore(url, reads);
    await restartTrigger();
  }

  async function restartTrigger(): Promise<void> {
    await trial.kill('trigger');
    await trial.muster.restart('trigger', { DATABASE_URL: proxy.databaseUrl });
  }

  const chain = [{ action: 'award-points', params: {} }];
  const run = (segment: string) => trial.muster.api.run({ name: segment, countries: ['SG'], segment, chain });

  /** The runs are so new that looks list the last of them as new. */
  const addCrowd = (runs: number) => addWaitingRuns(writer, { runs, countries, chain, slots, beganMsAgo: 0 });

  async function rowsRead(): Promise<number> {
    const { rows } = await writer.query<{ read: string }>(
      `select idx_tup_fetch + seq_tup_read as read from pg_stat_user_tables where relname = 'run_totals'`,
    );
    return Number(rows[0]?.read ?? 0);
  }

  interface Measured {
    small: string;
    callsPerSecond: number;
    rowsPerLook: number;
    smallSeconds: number;
  }

  /**
   * Freezes the API, because its shard report also sums up all feeds, and the test counts only the looks of the
   * trigger.
   */
  async function withoutApi(): Promise<void> {
    trial.freeze('api');
    const ofApi = `select 1 from pg_stat_activity where application_name = 'muster-api' and state = 'active'`;
    await until('the API reads nothing', async () => (await trial.database.count(ofApi)) === 0, 120_000);
  }

  /** Measures from the start of the large campaign, while its trigger reads the crowd. */
  async function measure(): Promise<Measured> {
    const largeRun = await run(large);
    await trial.awaitCalls(largeRun, 1, concurrency);
    await withoutApi();
    const [rowsBefore, callsBefore] = [await rowsRead(), await trial.batchesCalled(largeRun, 1)];
    reads.takeNew();
    await lasting(countedMs);
    const [rowsAfter, callsAfter] = [await rowsRead(), await trial.batchesCalled(largeRun, 1)];
    trial.thaw('api');
    const rowsPerLook = (rowsAfter - rowsBefore) / reads.takeNew().length;
    const smallRun = await run(small);
    await trial.awaitEnd(smallRun);
    const smallSeconds = await trial.servedWithin(smallRun, 1, 1);
    await cancelRun({ client: trial.muster.api.client, path: { id: largeRun }, body: {} });
    await trial.awaitEnd(largeRun);
    const callsPerSecond = (1000 * (callsAfter - callsBefore)) / countedMs;
    return { small: smallRun, callsPerSecond, rowsPerLook, smallSeconds };
  }

  it('is served, and a query of the trigger reads equally little beside 5,000 and beside 1,000 of them', async () => {
    await begin();
    const alone = await measure();
    let before = 0;
    for (const { runs, restarted } of crowds) {
      if (restarted) await restartTrigger();
      else await addCrowd(runs - before);
      before = runs;
      const beside = await measure();
      const measured = {
        'calls/s': beside.callsPerSecond,
        'without /s': alone.callsPerSecond,
        'rows per look': beside.rowsPerLook,
        'small s': beside.smallSeconds,
        'alone s': alone.smallSeconds,
      };
      const verdict = {
        rows: '50',
        scenario: `beside ${runs} runs that wait${restarted ? ', restarted' : ''}`,
        segment: small,
        measured,
      };
      expect(await trial.judge(beside.small, verdict)).toEqual([]);
      expect(beside.rowsPerLook).toBeLessThanOrEqual(fewRows);
    }
  });

  it('makes the trigger read all waiting runs if its query is unbounded (control)', async () => {
    await begin(faultControls.readsAreBounded);
    await addCrowd(crowds[0]?.runs ?? 0);
    expect((await measure()).rowsPerLook).toBeGreaterThan(fewRows);
  });
});
