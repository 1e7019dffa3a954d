import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { rounded, type Row, type Table } from '../results.ts';
import type { ConsoleUnderTest } from './console-under-test.ts';
import { writeLiveRuns, type LiveRunTerms } from './live-runs.ts';
import { openSession } from './open-session.ts';
import { startPace } from './pace.ts';
import { metronomeScript, type Probed } from './page-probe.ts';
import { openPage } from './probed-page.ts';
import { figuresOfTasks, recordTasks, type TaskFigures } from './trace-tasks.ts';

const batchesPerSecond = 5000;
const tickMs = 100;
const settleMs = 3000;

const smallRun = { runs: 1, countries: 8, steps: 3 } as const;
const largeRun = { runs: 1, countries: 40, steps: 5 } as const;

/**
 * Views to measure. A few countries are shown as rows of a table. Many countries are folded, and a person may open all
 * of them.
 */
const sizes: readonly Size[] = [
  { name: '8 countries, 3 steps', ...smallRun },
  { name: '40 countries, 5 steps, folded', ...largeRun },
  {
    name: '40 countries, 5 steps, all countries open',
    ...largeRun,
    open: (page) => page.getByRole('button', { name: '40 under way' }).click(),
  },
  { name: '40 countries, 5 steps, all 200 lines open', ...largeRun, open: openAllLines },
];

interface Size extends LiveRunTerms {
  name: string;
  /** First action of the person; undefined if the view is only watched. */
  open?: (page: Page) => Promise<void>;
}

async function openAllLines(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Steps', exact: true }).click();
  const folded = page.locator('.step-table button[aria-expanded="false"]');
  while ((await folded.count()) > 0) await folded.first().click();
}

/**
 * Measures the live view of a run for a minute, and a nearly idle page beside it. Delays of the idle page are caused by
 * the machine, not by the console.
 */
export async function measureMainThread(
  browser: Browser,
  muster: ConsoleUnderTest,
  { quick }: { quick: boolean },
): Promise<Table[]> {
  const seconds = quick ? 15 : 60;
  const rows: Row[] = [];
  for (const size of sizes) rows.push(...(await watchRun(browser, muster, size, seconds)));
  return [{ title: `The live view of a run at 5,000 batches/s, ${seconds} s`, rows }];
}

async function watchRun(browser: Browser, muster: ConsoleUnderTest, size: Size, seconds: number): Promise<Row[]> {
  const { url, apiKey, pool } = muster;
  const runs = await writeLiveRuns(pool, size);
  const pace = startPace(runs, batchesPerSecond, tickMs);
  const live = await openPage(browser, { url, cookie: await openSession(url, apiKey) });
  const idle = await openPage(browser, { url, script: metronomeScript });
  try {
    await idle.page.goto('about:blank');
    await live.page.goto(`runs/${runs.runIds.join('')}`);
    await live.page.locator('.step-table, .countries').first().waitFor();
    await size.open?.(live.page);
    await wait(settleMs);
    const pages = { live, idle };
    const heapBefore = { live: await live.heapMiB(), idle: await idle.heapMiB() };
    const tasksOf = await recordTasks(browser, pages);
    await Promise.all([live.reset(), idle.reset()]);
    await wait(seconds * 1000);
    const notified = { live: await live.read(), idle: await idle.read() };
    const tasks = await tasksOf();
    const rate = await pace.stop();
    console.error(`${size.name}: ${Math.round(rate)} batches/s`);
    const rowOf = async (name: keyof typeof pages, title: string): Promise<Row> => ({
      page: title,
      'batches/s': name === 'live' ? rounded(rate) : null,
      ...figuresOf(notified[name], figuresOfTasks(tasks.get(name) ?? [])),
      'heap MiB': `${heapBefore[name].toFixed(1)} to ${(await pages[name].heapMiB()).toFixed(1)}`,
    });
    return [await rowOf('live', size.name), await rowOf('idle', 'idle, beside it')];
  } finally {
    await live.close();
    await idle.close();
    await pace.stop();
  }
}

function figuresOf(probed: Probed, tasks: TaskFigures): Row {
  return {
    'long tasks': probed.longTasksMs.length,
    'longest ms': rounded(tasks.longestMs),
    'long by CPU': tasks.longByCpu,
    'longest CPU ms': rounded(tasks.longestCpuMs),
    'main thread, share of a core': rounded(tasks.cpuMs / (probed.seconds * 1000)),
    'patches/s': rounded(probed.patchesAtMs.length / probed.seconds),
    'frames/s': rounded(probed.frames / probed.seconds),
    'longest between frames, ms': rounded(probed.longestGapMs),
  };
}
