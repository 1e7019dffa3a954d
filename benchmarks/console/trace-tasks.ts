import type { Browser } from 'playwright-core';
import { z } from 'zod';
import type { ProbedPage } from './probed-page.ts';

/** A task of a page's main thread. */
export interface Task {
  /** From its beginning to its end. */
  wallMs: number;
  /** Of that, on a core: the rest it waited for one, because other processes had them. */
  cpuMs: number;
}

const traceShape = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      ph: z.string(),
      pid: z.number(),
      tid: z.number(),
      /** Microseconds, as the others. */
      dur: z.number().optional(),
      tdur: z.number().optional(),
    }),
  ),
});

/** A task that is longer is noticed by a person who types or scrolls. */
const longMs = 50;

export interface TaskFigures {
  long: number;
  longestMs: number;
  longByCpu: number;
  longestCpuMs: number;
  /** On a core, of all of them. */
  cpuMs: number;
}

export function figuresOfTasks(tasks: readonly Task[]): TaskFigures {
  const figures: TaskFigures = { long: 0, longestMs: 0, longByCpu: 0, longestCpuMs: 0, cpuMs: 0 };
  for (const { wallMs, cpuMs } of tasks) {
    if (wallMs > longMs) figures.long += 1;
    if (cpuMs > longMs) figures.longByCpu += 1;
    figures.longestMs = Math.max(figures.longestMs, wallMs);
    figures.longestCpuMs = Math.max(figures.longestCpuMs, cpuMs);
    figures.cpuMs += cpuMs;
  }
  return figures;
}

/** Tasks, and the marks of scripts by which the process of a page is known. */
const categories = ['toplevel', 'blink.user_timing'];
const markOf = (name: string) => `muster-bench ${name}`;

/** Records the tasks of pages until the returned function is called, which tells those of each by its name. */
export async function recordTasks(
  browser: Browser,
  pages: Readonly<Record<string, ProbedPage>>,
): Promise<() => Promise<Map<string, Task[]>>> {
  await browser.startTracing(undefined, { categories });
  return async () => {
    for (const [name, { page }] of Object.entries(pages)) {
      await page.evaluate(`performance.mark(${JSON.stringify(markOf(name))})`);
    }
    const trace = (await browser.stopTracing()).toString();
    return new Map(Object.keys(pages).map((name) => [name, tasksIn(trace, markOf(name))]));
  };
}

/** @param mark of the page: its main thread is the one that made it */
export function tasksIn(trace: string, mark: string): Task[] {
  const { traceEvents } = traceShape.parse(JSON.parse(trace));
  const made = traceEvents.find(({ name }) => name === mark);
  if (!made) throw new Error(`the trace has no mark ${JSON.stringify(mark)}`);
  return traceEvents
    .filter(({ name, ph, pid, tid }) => name.endsWith('RunTask') && ph === 'X' && pid === made.pid && tid === made.tid)
    .map(({ dur = 0, tdur = 0 }) => ({ wallMs: dur / 1000, cpuMs: tdur / 1000 }));
}
