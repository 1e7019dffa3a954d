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
import { openAged, runsADay, type AgedInstallation } from './aged-installation.ts';

/**
 * What does it cost that runs have ended? The same is asked of databases of three ages, in turn, and of one of the
 * oldest age whose ended runs are not put away: it has to show what the others must not.
 */
const question = `Milliseconds with ${runsADay} ended runs a day behind, beside those with none`;
/** Days; the last one is the control's as well. */
const [ages, quickAges] = [
  [0, 1, 400],
  [0, 1, 40],
] as const;
/** What the control is asked. */
const controlled = 'flush with units';
/** A control that costs no more than this shows that the benchmark sees nothing. */
const controlAtLeast = 1.2;
const claimsPerFlush = 20;
const pageSize = 50;
const fewestLooks = 3;
/** Of looking at one age at a time. */
const enoughMs = 1500;

interface AgeOptions {
  rounds: number;
  quick: boolean;
}

type Act = () => Promise<unknown>;

export async function benchmarkAge({ rounds, quick }: AgeOptions): Promise<void> {
  const postgres = await startPostgresAlone(databaseSettings);
  try {
    const aged: { name: string; installation: AgedInstallation; acts: Partial<Record<string, Act>> }[] = [];
    const asked = quick ? quickAges : ages;
    for (const [days, isControl] of [...asked.map((each) => [each, false] as const), [asked[2], true] as const]) {
      const name = isControl ? `control, ${days} days` : `${days} days`;
      console.error(`age: writing ${name}`);
      const installation = await openAged(postgres.databaseUrl, { days, isControl });
      const acts = actsOf(installation);
      // The others would take minutes there, to say the same.
      aged.push({ name, installation, acts: isControl ? { [controlled]: acts[controlled] } : acts });
    }
    const taken = new Map<string, number[]>();
    const looks = quick ? 9 : 25;
    for (let round = 0; round <= rounds; round++) {
      for (const act of Object.keys(aged[0]?.acts ?? {})) {
        for (const { name, acts } of aged) {
          const ask = acts[act];
          if (!ask) continue;
          const ms = await medianOf(looks, ask);
          // The first round fills caches.
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
    const control = rows.find(({ what }) => what === controlled)?.[`ratio, ${names.at(-1) ?? ''}`];
    if (typeof control !== 'number' || control <= controlAtLeast)
      throw new Error(`the control shows nothing: ${String(control)} times the first day`);
    await Promise.all(aged.map(({ installation }) => installation.end()));
  } finally {
    await postgres.stop();
  }
}

function actsOf({ pool, hotPool, feedId, runId, campaignId, oldest }: AgedInstallation) {
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
    [controlled]: () => flush(new Map([[feedId, [1, 0]]])),
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

/** What takes seconds, as the control does, is not asked as often: three looks tell it. */
async function medianOf(looks: number, act: Act): Promise<number> {
  const tookMs: number[] = [];
  const sumMs = () => tookMs.reduce((sum, ms) => sum + ms, 0);
  while (tookMs.length < looks && (tookMs.length < fewestLooks || sumMs() < enoughMs)) {
    const startedMs = performance.now();
    await act();
    tookMs.push(performance.now() - startedMs);
  }
  return median(tookMs);
}

function rowOf(act: string, names: readonly string[], taken: ReadonlyMap<string, number[]>): Row {
  const [first = ''] = names;
  const msOf = (name: string) => taken.get(`${act}/${name}`) ?? [];
  const asked = names.filter((name) => msOf(name).length > 0);
  const figures = asked.map((name): [string, number] => [name, rounded(median(msOf(name)))]);
  const ratioOf = (name: string): [string, number] => [
    `ratio, ${name}`,
    rounded(ratioByRound(msOf(name), msOf(first))),
  ];
  return { what: act, ...Object.fromEntries([...figures, ...asked.slice(1).map(ratioOf)]) };
}

/** What ended runs leave for as long as runs are kept. */
async function sizesOf({ pool }: AgedInstallation): Promise<Record<string, number>> {
  const tables = ['runs', 'feeds', 'run_totals', 'run_points', 'run_events'];
  const { rows } = await pool.query<{ name: string; bytes: number }>(
    'select name, pg_total_relation_size(name::regclass)::float8 as bytes from unnest($1::text[]) name',
    [tables],
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, rounded(bytes / 1024 ** 2)]));
}
