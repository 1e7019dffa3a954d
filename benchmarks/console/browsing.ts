import type { Browser } from 'playwright-core';
import { percentile, rounded, type Row, type Table } from '../results.ts';
import type { ConsoleUnderTest } from './console-under-test.ts';
import { rareReason, writeFailedRun, type FailedRun } from './failed-run.ts';
import { openSession } from './open-session.ts';
import { openPage, type ProbedPage } from './probed-page.ts';
import { figuresOfTasks, recordTasks } from './trace-tasks.ts';

const wheels = 6;
const wheelPx = 350;

/**
 * Repeats a person's actions in the list of failures. Measures the time from each key press or click until its result
 * is painted.
 */
export async function measureBrowsing(
  browser: Browser,
  { url, apiKey, pool }: ConsoleUnderTest,
  { quick }: { quick: boolean },
): Promise<Table[]> {
  const run = await writeFailedRun(pool, quick ? 10_000 : 100_000);
  const cookie = await openSession(url, apiKey);
  const probe = await openPage(browser, { url, cookie });
  const [opens, times] = quick ? [3, 10] : [10, 50];
  try {
    const rows: Row[] = [];
    const measure = async (title: string, act: () => Promise<number[]>) =>
      rows.push(await rowOf(browser, probe, title, act));
    await measure('open, nothing in the cache', () => open(probe, run, 1));
    await measure('open again', () => open(probe, run, opens));
    await measure('next page, after scrolling through it', () => measureNextPage(probe, times));
    await measure('another filter', () => filter(probe, times));
    await measure('find a user, and its page', () => measureSearch(probe, run, times));
    const failures = run.failures.toLocaleString('en');
    return [{ title: `Browsing ${failures} failures`, rows }];
  } finally {
    await probe.close();
  }
}

async function rowOf(browser: Browser, probe: ProbedPage, title: string, act: () => Promise<number[]>): Promise<Row> {
  const tasksOf = await recordTasks(browser, { failures: probe });
  const tookMs = await act();
  const tasks = figuresOfTasks((await tasksOf()).get('failures') ?? []);
  const { rows, nodes, loadedBytes } = await probe.size();
  console.error(`${title}: done`);
  return {
    what: title,
    times: tookMs.length,
    'p50 ms': rounded(percentile(tookMs, 0.5)),
    'p99 ms': rounded(percentile(tookMs, 0.99)),
    'long tasks': tasks.long,
    'longest ms': rounded(tasks.longestMs),
    'long by CPU': tasks.longByCpu,
    'longest CPU ms': rounded(tasks.longestCpuMs),
    'rows in the page': rows,
    'elements in the page': nodes,
    'KiB loaded': rounded(loadedBytes / 1024),
  };
}

/** Opens the list by its address and returns the milliseconds until its rows are painted. */
async function open(probe: ProbedPage, { runId }: FailedRun, times: number): Promise<number[]> {
  const tookMs: number[] = [];
  for (let time = 0; time < times; time++) {
    await probe.page.goto(`runs/${runId}/failures`);
    tookMs.push(await probe.firstRowsMs());
  }
  return tookMs;
}

async function measureNextPage(probe: ProbedPage, times: number): Promise<number[]> {
  const { page } = probe;
  const tookMs: number[] = [];
  const button = page.getByRole('button', { name: 'Next' });
  for (let time = 0; time < times; time++) {
    await page.mouse.move(700, 500);
    for (let wheel = 0; wheel < wheels; wheel++) {
      await page.mouse.wheel(0, wheelPx);
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
    tookMs.push(await probe.timeOf('rows', () => button.click()));
  }
  return tookMs;
}

/** Filters to apply in turn. Each one shows other rows than the filter before it. */
const filters = [
  ['Country', 'VN'],
  ['Reason', rareReason],
  ['Country', 'MY'],
  ['Reason', 'not-eligible'],
  ['Country', 'SG'],
  ['Reason', 'limit-reached'],
  ['Country', ''],
  ['Reason', 'out-of-stock'],
] as const;

async function filter(probe: ProbedPage, times: number): Promise<number[]> {
  const tookMs: number[] = [];
  for (let time = 0; time < times; time++) {
    const [label = 'Country', value = ''] = filters[time % filters.length] ?? [];
    const choice = probe.page.getByRole('combobox', { name: label, exact: true });
    tookMs.push(await probe.timeOf('rows', () => choice.selectOption(value)));
  }
  return tookMs;
}

async function measureSearch(probe: ProbedPage, run: FailedRun, times: number): Promise<number[]> {
  const { page } = probe;
  const tookMs: number[] = [];
  const field = page.getByRole('combobox', { name: 'An id, a name or a page' });
  for (let time = 0; time < times; time++) {
    await page.keyboard.press('Control+k');
    await field.fill(run.failedUser(Math.floor(((time + 0.5) / times) * run.failures)));
    tookMs.push(await probe.timeOf('user', () => field.press('Enter')));
  }
  return tookMs;
}
