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

const few = { runs: 1, countries: 8, steps: 3 } as const;
const many = { runs: 1, countries: 40, steps: 5 } as const;

/** Few countries are lines of a table. Many are folded, and a person may open all that there is. */
const sizes: readonly Size[] = [
  { name: '8 countries, 3 steps', ...few },
  { name: '40 countries, 5 steps, folded', ...many },
  {
    name: '40 countries, 5 steps, all countries open',
    ...many,
    open: (page) => page.getByRole('button', { name: '40 under way' }).click(),
  },
  { name: '40 countries, 5 steps, all 200 lines open', ...many, open: openAllLines },
];

interface Size extends LiveRunTerms {
  name: string;
  /** What a person does first. */
  open?: (page: Page) => Promise<void>;
}

async function openAllLines(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Steps', exact: true }).click();
  const folded = page.locator('.step-table button[aria-expanded="false"]');
  while ((await folded.count()) > 0) await folded.first().click();
}

/**
 * The live view of a run for a minute, and beside it a page that hardly does anything: what the machine does to that
 * one is not the console's doing.
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
    const told = { live: await live.read(), idle: await idle.read() };
    const tasks = await tasksOf();
    const rate = await pace.stop();
    console.error(`${size.name}: ${Math.round(rate)} batches/s`);
    const rowOf = async (name: keyof typeof pages, title: string): Promise<Row> => ({
      page: title,
      'batches/s': name === 'live' ? rounded(rate) : null,
      ...figuresOf(told[name], figuresOfTasks(tasks.get(name) ?? [])),
      'heap MiB': `${heapBefore[name].toFixed(1)} to ${(await pages[name].heapMiB()).toFixed(1)}`,
    });
    return [await rowOf('live', size.name), await rowOf('idle', 'idle, beside it')];
  } finally {
    await live.close();
    await idle.close();
    await pace.stop();
  }
}

function figuresOf(told: Probed, tasks: TaskFigures): Row {
  return {
    'long tasks': told.longTasksMs.length,
    'longest ms': rounded(tasks.longestMs),
    'long by CPU': tasks.longByCpu,
    'longest CPU ms': rounded(tasks.longestCpuMs),
    'main thread, share of a core': rounded(tasks.cpuMs / (told.seconds * 1000)),
    'patches/s': rounded(told.patchesAtMs.length / told.seconds),
    'frames/s': rounded(told.frames / told.seconds),
    'longest between frames, ms': rounded(told.longestGapMs),
  };
}
