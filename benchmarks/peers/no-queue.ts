import type { BatchJob, JobQueue } from './job-queue.ts';

/**
 * Opens a queue that keeps jobs in the worker's own memory. It shows what calls, answers and outcome rows cost without
 * a queue.
 */
export function openNoQueue(): Promise<JobQueue> {
  let jobs: BatchJob[] = [];
  return Promise.resolve({
    empty: () => {
      jobs = [];
      return Promise.resolve();
    },
    enqueue: (more) => {
      jobs.push(...more);
      return Promise.resolve();
    },
    work: (serve, atOnce) => {
      let next = 0;
      const workThrough = async () => {
        for (let job = jobs[next++]; job; job = jobs[next++]) await serve(job);
      };
      const working = Promise.all(Array.from({ length: atOnce }, workThrough));
      return Promise.resolve(async () => {
        await working;
      });
    },
    close: () => Promise.resolve(),
  });
}
