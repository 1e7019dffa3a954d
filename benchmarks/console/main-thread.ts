import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { rounded, type Row, type Table } from '../results.ts';
import type { ConsoleUnderTest } from './console-under-test.ts';
import { writeLiveRuns } from './live-runs.ts';
import { openSession } from './open-session.ts';
import { startPace } from './pace.ts';
import { metronomeScript, type Probed } from './page-probe.ts';
import { openPage } from './probed-page.ts';
import { figuresOfTasks, recordTasks, type TaskFigures } from './trace-tasks.ts';

const batchesPerSecond = 5000;
const tickMs = 100;
const settleMs = 3000;

const sizes = [
  { name: '10 countries, 3 steps', runs: 1, countries: 10, steps: 3 },
  { name: '40 countries, 5 steps', runs: 1, countries: 40, steps: 5 },
] as const;

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
  for (const size of quick ? sizes.slice(0, 1) : sizes) rows.push(...(await watchRun(browser, muster, size, seconds)));
  return [{ title: `The live view of a run at 5,000 batches/s, ${seconds} s`, rows }];
}

async function watchRun(
  browser: Browser,
  muster: ConsoleUnderTest,
  size: (typeof sizes)[number],
  seconds: number,
): Promise<Row[]> {
  const { url, apiKey, pool } = muster;
  const runs = await writeLiveRuns(pool, size);
  const pace = startPace(runs, batchesPerSecond, tickMs);
  const live = await openPage(browser, { url, cookie: await openSession(url, apiKey) });
  const idle = await openPage(browser, { url, script: metronomeScript });
  try {
    await idle.page.goto('about:blank');
    await live.page.goto(`runs/${runs.runIds.join('')}`);
    await live.page.getByRole('region', { name: 'Table of users by step and country' }).waitFor();
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
      ...{ page: title, 'batches/s': name === 'live' ? rounded(rate) : null },
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
