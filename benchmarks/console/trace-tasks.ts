import type { Browser } from 'playwright-core';
import { z } from 'zod';
import type { ProbedPage } from './probed-page.ts';

/** A task of a page's main thread. */
export interface Task {
  /** Milliseconds from the beginning to the end of the task. */
  wallMs: number;
  /** CPU time of the task. For the rest of its duration, the task waited for a core that other processes used. */
  cpuMs: number;
}

const traceShape = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      ph: z.string(),
      pid: z.number(),
      tid: z.number(),
      /** Duration in microseconds, as the other times. */
      dur: z.number().optional(),
      tdur: z.number().optional(),
    }),
  ),
});

/** Threshold for long tasks. A person who types or scrolls notices a task that is longer. */
const longMs = 50;

export interface TaskFigures {
  long: number;
  longestMs: number;
  longByCpu: number;
  longestCpuMs: number;
  /** CPU time of all tasks together. */
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

/** Trace categories: tasks, and the marks of scripts that identify the process of a page. */
const categories = ['toplevel', 'blink.user_timing'];
const markOf = (name: string) => `muster-bench ${name}`;

/**
 * Records the tasks of pages until the returned function is called. That function resolves with each page's tasks, by
 * the name of the page.
 */
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

/** @param mark name of the mark that the page sets. The thread that set it is the page's main thread. */
export function tasksIn(trace: string, mark: string): Task[] {
  const { traceEvents } = traceShape.parse(JSON.parse(trace));
  const made = traceEvents.find(({ name }) => name === mark);
  if (!made) throw new Error(`the trace has no mark ${JSON.stringify(mark)}`);
  return traceEvents
    .filter(({ name, ph, pid, tid }) => name.endsWith('RunTask') && ph === 'X' && pid === made.pid && tid === made.tid)
    .map(({ dur = 0, tdur = 0 }) => ({ wallMs: dur / 1000, cpuMs: tdur / 1000 }));
}
