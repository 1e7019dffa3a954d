import type { Browser } from 'playwright-core';
import type { Pool } from 'pg';
import { campaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { rounded, type Row, type Table } from '../results.ts';
import { storeFutureJobs } from '../stored-jobs.ts';
import type { ConsoleUnderTest } from './console-under-test.ts';
import { writeFailedRun } from './failed-run.ts';
import { writeLiveRuns } from './live-runs.ts';
import { openSession } from './open-session.ts';
import { openPage, type ProbedPage } from './probed-page.ts';
import { figuresOfTasks, recordTasks } from './trace-tasks.ts';

/** Measures the views of an installation with many campaigns, jobs and failures. Each view is opened several times. */
export async function measureAtSize(
  browser: Browser,
  { url, apiKey, pool, databaseUrl }: ConsoleUnderTest,
  { quick }: { quick: boolean },
): Promise<Table[]> {
  const [campaigns, jobs, failures, times] = quick ? [1000, 100_000, 10_000, 5] : [1000, 1_000_000, 100_000, 10];
  await writeCampaigns(pool, campaigns);
  await storeFutureJobs(databaseUrl, jobs);
  // The jobs' client was written directly to the database, so the API has to be notified of it.
  await pool.query('update installation set clients_revision = clients_revision + 1');
  const failed = await writeFailedRun(pool, failures);
  const live = await writeLiveRuns(pool, { runs: 1, countries: 40, steps: 5 });
  await live.advance(100);
  const [runId = ''] = live.runIds;
  const count = (number: number) => number.toLocaleString('en');
  const views: [what: string, path: string][] = [
    [`${count(campaigns)} campaigns`, 'campaigns'],
    ['a week of them', 'calendar'],
    ['one campaign is found among them', 'campaigns?text=number+900'],
    [`${count(jobs)} jobs`, 'jobs'],
    ['those of one client', 'jobs?client=stored'],
    [`${count(failures)} failures`, `runs/${failed.runId}/failures`],
    ['a live run of 40 countries × 5 steps', `runs/${runId}`],
    ['its report', `runs/${runId}/report`],
  ];
  const probe = await openPage(browser, { url, cookie: await openSession(url, apiKey) });
  try {
    const rows: Row[] = [];
    // Opens each view once in advance: files that a browser loads only once are not measured.
    for (const [, path] of views) await open(probe, path);
    for (const [what, path] of views) rows.push(await rowOf(browser, probe, { what, path, times }));
    return [{ title: `Views at size, each opened ${times} times`, rows }];
  } finally {
    await probe.close();
  }
}

async function open({ page }: ProbedPage, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('main[aria-busy="false"]').waitFor();
  // Waits for what the page draws after its first picture.
  await page.evaluate('new Promise((done) => setTimeout(done, 500))');
}

async function rowOf(
  browser: Browser,
  probe: ProbedPage,
  { what, path, times }: { what: string; path: string; times: number },
): Promise<Row> {
  // A trace covers a single page, and each navigation creates a new page. So each visit has a trace of its own, and the
  // longest tasks of all visits count.
  const all = [];
  for (let time = 0; time < times; time++) {
    const tasksOf = await recordTasks(browser, { view: probe });
    await open(probe, path);
    all.push(...((await tasksOf()).get('view') ?? []));
  }
  const tasks = figuresOfTasks(all);
  const { rows, nodes } = await probe.size();
  console.error(`${what}: done`);
  return {
    what,
    'long tasks': tasks.long,
    'longest ms': rounded(tasks.longestMs),
    'long by CPU': tasks.longByCpu,
    'longest CPU ms': rounded(tasks.longestCpuMs),
    'rows in the page': rows,
    'elements in the page': nodes,
  };
}

/** Writes scheduled campaigns whose starts are spread over the next days. */
async function writeCampaigns(pool: Pool, campaigns: number): Promise<void> {
  const audience = { include: [{ segment: 'all' }] };
  const chain = [
    { action: 'award-reward', params: {} },
    { action: 'send-message', params: {} },
  ];
  const definition = campaignDefinition.parse({
    name: 'written',
    countries: ['SG', 'ID', 'VN'],
    audience,
    chain,
    deadlineSeconds: 3600,
  });
  await pool.query(
    `with c as (
      insert into campaigns (id, name, state, revision)
      select uuidv7(), 'Number ' || n, 'scheduled', 1 from generate_series(1, $1::int) n returning id
    ), r as (
      insert into revisions (campaign, revision, definition)
      select id, 1, $2::jsonb || jsonb_build_object('name', 'Number') from c
    )
    insert into run_starts (partition_id, due_at, id, campaign, revision)
    select 0, now() + random() * interval '5 days' + interval '1 hour', uuidv7(), id, 1 from c`,
    [campaigns, definition],
  );
}
