import { createCampaignLists } from '../../services/api/campaigns/postgres/campaign-lists.ts';
import { createBudgetStore } from '../../services/api/runs/control/postgres/budget-store.ts';
import { createRunReports } from '../../services/api/runs/postgres/run-reports.ts';
import { createFeedStore } from '../../services/trigger/feed/postgres/feed-store.ts';
import { createRunHistory } from '../../services/trigger/keep/postgres/run-history.ts';
import { createRunStore } from '../../services/trigger/keep/postgres/run-store.ts';
import { createFeedContexts } from '../../services/worker/claims/postgres/feed-contexts.ts';
import { createStepLedger } from '../../shared/postgres/ledger/step-ledger.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { median, publishTables, ratioByRound, rounded, type Row } from '../results.ts';
import { databaseSettings } from '../warm-database.ts';
import { openAgedInstallation, runsADay, type AgedInstallation } from './aged-installation.ts';

/**
 * Measures the cost of ended runs. The same requests go to databases of three ages, in turn. A fourth database, the
 * control, has the oldest age and its ended runs are not archived. The control has to show the growth that the other
 * databases must not show.
 */
const question = `Milliseconds with ${runsADay} ended runs a day behind, beside those with none`;
/** Ages in days. The control has the last age too. */
const [ages, quickAges] = [
  [0, 1, 400],
  [0, 1, 40],
] as const;
/** Only request that is sent to the control. */
const controlRequest = 'flush with units';
/** Least ratio of the control's cost. If the control costs less, the benchmark cannot detect growth. */
const minControlRatio = 1.2;
const claimsPerFlush = 20;
const pageSize = 50;
const minMeasurements = 3;
/** Enough time for the measurements of one request at one age. */
const measurementMs = 1500;

interface AgeOptions {
  rounds: number;
  quick: boolean;
}

type MeasuredRequest = () => Promise<unknown>;

export async function benchmarkAge({ rounds, quick }: AgeOptions): Promise<void> {
  const postgres = await startPostgresAlone(databaseSettings);
  try {
    const aged: { name: string; installation: AgedInstallation; acts: Partial<Record<string, MeasuredRequest>> }[] = [];
    const requested = quick ? quickAges : ages;
    for (const [days, isControl] of [
      ...requested.map((each) => [each, false] as const),
      [requested[2], true] as const,
    ]) {
      const name = isControl ? `control, ${days} days` : `${days} days`;
      console.error(`age: writing ${name}`);
      const installation = await openAgedInstallation(postgres.databaseUrl, { days, isControl });
      const acts = measuredRequests(installation);
      // The control's other requests would take minutes and show the same growth.
      aged.push({ name, installation, acts: isControl ? { [controlRequest]: acts[controlRequest] } : acts });
    }
    const taken = new Map<string, number[]>();
    const looks = quick ? 9 : 25;
    for (let round = 0; round <= rounds; round++) {
      for (const act of Object.keys(aged[0]?.acts ?? {})) {
        for (const { name, acts } of aged) {
          const ask = acts[act];
          if (!ask) continue;
          const ms = await medianOf(looks, ask);
          // The first round only fills caches and is not counted.
          if (round > 0) taken.set(`${act}/${name}`, [...(taken.get(`${act}/${name}`) ?? []), ms]);
        }
      }
    }
    const names = aged.map(({ name }) => name);
    const rows = Object.keys(aged[0]?.acts ?? {}).map((act) => rowOf(act, names, taken));
    const disk: Row[] = [];
    for (const { name, installation } of aged) disk.push({ age: name, ...(await sizesOf(installation)) });
    publishTables('age', question, [
      { title: 'p50 ms, and the ratio to the first day', rows },
      { title: 'MiB with indexes', rows: disk },
    ]);
    const control = rows.find(({ what }) => what === controlRequest)?.[`ratio, ${names.at(-1) ?? ''}`];
    if (typeof control !== 'number' || control <= minControlRatio)
      throw new Error(`the control shows nothing: ${String(control)} times the first day`);
    await Promise.all(aged.map(({ installation }) => installation.end()));
  } finally {
    await postgres.stop();
  }
}

function measuredRequests({ pool, hotPool, feedId, runId, campaignId, oldest }: AgedInstallation) {
  const ledger = createStepLedger({ pool: hotPool, owner: 'age', slot: 0, leaseMs: 30_000 });
  const runs = createRunStore({ pool });
  const feeds = createFeedStore({ pool });
  const contexts = createFeedContexts({ pool: hotPool });
  const reports = createRunReports({ pool });
  const history = createRunHistory({ pool });
  const budgets = createBudgetStore({ pool });
  const campaigns = createCampaignLists({ pool });
  let claimed = 0;
  const flush = async (unitsPerUser: ReadonlyMap<string, readonly number[]>) => {
    const claims = Array.from({ length: claimsPerFlush }, () => ({ feedId, batchNo: ++claimed, step: 1 }));
    const flushed = await ledger.flush({ results: [], claims, begins: [], unitsPerUser });
    if (flushed.claimed.length !== claimsPerFlush) throw new Error(`${flushed.claimed.length} steps were claimed`);
  };
  return {
    [controlRequest]: () => flush(new Map([[feedId, [1, 0]]])),
    'flush without': () => flush(new Map()),
    "trigger's look: feeds": async () => feeds.loads((await feeds.listFeeds(null, 0)).feedIds),
    "trigger's look: runs": async () => runs.tallies((await runs.listRuns(null, 0)).runs.map((run) => run.runId)),
    "trigger's look: points": async () =>
      history.notePoints((await runs.listRuns(null, 0)).runs.map((run) => ({ runId: run.runId, ended: 0 }))),
    "worker's look": () => contexts.admissions([feedId]),
    budgets: () => budgets.list(campaignId),
    'list of runs': () => reports.list({}, pageSize, null),
    'list of runs that go on': () => reports.list({ state: 'running' }, pageSize, null),
    "list of an old campaign's runs": () => reports.list({ campaignId: oldest.campaignId }, pageSize, null),
    'list of campaigns': () => campaigns.page({}, undefined, 'state', pageSize, null),
    'progress of a run': () => reports.snapshot(runId),
    'report of the oldest run': () => reports.snapshot(oldest.runId),
    'runs to compare with': () => reports.comparable(runId, pageSize),
  };
}

/**
 * Returns the median duration in milliseconds. A request that takes seconds, such as the control's, is sent only three
 * times.
 */
async function medianOf(looks: number, act: MeasuredRequest): Promise<number> {
  const tookMs: number[] = [];
  const sumMs = () => tookMs.reduce((sum, ms) => sum + ms, 0);
  while (tookMs.length < looks && (tookMs.length < minMeasurements || sumMs() < measurementMs)) {
    const startedMs = performance.now();
    await act();
    tookMs.push(performance.now() - startedMs);
  }
  return median(tookMs);
}

function rowOf(act: string, names: readonly string[], taken: ReadonlyMap<string, number[]>): Row {
  const [first = ''] = names;
  const msOf = (name: string) => taken.get(`${act}/${name}`) ?? [];
  const request = names.filter((name) => msOf(name).length > 0);
  const figures = request.map((name): [string, number] => [name, rounded(median(msOf(name)))]);
  const ratioOf = (name: string): [string, number] => [
    `ratio, ${name}`,
    rounded(ratioByRound(msOf(name), msOf(first))),
  ];
  return { what: act, ...Object.fromEntries([...figures, ...request.slice(1).map(ratioOf)]) };
}

/** Returns the MiB of the tables whose rows stay for as long as runs are kept. */
async function sizesOf({ pool }: AgedInstallation): Promise<Record<string, number>> {
  const tables = ['runs', 'feeds', 'run_totals', 'run_progress', 'run_events'];
  const { rows } = await pool.query<{ name: string; bytes: number }>(
    'select name, pg_total_relation_size(name::regclass)::float8 as bytes from unnest($1::text[]) name',
    [tables],
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, rounded(bytes / 1024 ** 2)]));
}
