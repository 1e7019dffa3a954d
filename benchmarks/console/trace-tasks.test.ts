import { expect, it } from 'vitest';
import { figuresOfTasks, tasksIn } from './trace-tasks.ts';

const event = (name: string, pid: number, more: object = {}) => ({ name, ph: 'X', pid, tid: pid * 10, ts: 1, ...more });

it('tasksIn returns the wall and CPU time of the tasks on the thread that set the mark', () => {
  const traceEvents = [
    event('ThreadControllerImpl::RunTask', 1, { dur: 80_000, tdur: 2_000 }),
    event('ThreadControllerImpl::RunTask', 2, { dur: 60_000, tdur: 60_000 }),
    event('ThreadControllerImpl::RunTask', 1, { dur: 500, tdur: 400, tid: 11 }),
    event('Something else', 1, { dur: 99_000 }),
    event('mine', 1, { ph: 'I' }),
  ];
  expect(tasksIn(JSON.stringify({ traceEvents }), 'mine')).toEqual([{ wallMs: 80, cpuMs: 2 }]);
});

it('tasksIn rejects a trace without the mark, because it could not identify the thread of the page', () => {
  expect(() => tasksIn('{"traceEvents":[]}', 'mine')).toThrow('no mark "mine"');
});

it('figuresOfTasks counts long tasks by wall time and, separately, by CPU time', () => {
  const tasks = [
    { wallMs: 80, cpuMs: 2 },
    { wallMs: 60, cpuMs: 55 },
    { wallMs: 50, cpuMs: 50 },
  ];
  expect(figuresOfTasks(tasks)).toEqual({ long: 2, longestMs: 80, longByCpu: 1, longestCpuMs: 55, cpuMs: 107 });
});
