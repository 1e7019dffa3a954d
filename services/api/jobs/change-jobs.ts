import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { JobChanges } from './postgres/job-changes.ts';
import type { JobStore } from './postgres/job-store.ts';

/** Maximum number of jobs in one transaction, which locks them together. */
const jobsPerPart = 500;
/** Milliseconds between two searches for changes that another process left unfinished. */
const pollEveryMs = 5000;

export interface JobChangerDeps {
  changes: JobChanges;
  jobStore: Pick<JobStore, 'list'>;
  clock: Clock;
  logger: Logger;
}

/** Applies bulk changes of jobs in parts. If a process dies, another process continues from the stored position. */
export interface JobChanger {
  poke(): void;
  start(): void;
  stop(): Promise<void>;
}

export function createJobChanger({ changes, jobStore, clock, logger }: JobChangerDeps): JobChanger {
  async function turn(): Promise<number> {
    const change = await changes.nextRunning();
    if (!change) return pollEveryMs;
    const { clientId, filter, place, dueAt } = change;
    const { items, next } = await jobStore.list({ ...filter, clientIds: [clientId] }, jobsPerPart, place);
    // A job that was moved to the new time appears in the list a second time, and is skipped.
    const others = items.filter((job) => dueAt === null || job.dueAt?.getTime() !== dueAt.getTime());
    const ids = others.map(({ jobId }) => jobId);
    await changes.apply(change, ids, next);
    return 0;
  }

  const loop = createLoop({ name: 'change-jobs', turn, afterErrorMs: pollEveryMs, clock, logger });
  return { poke: () => loop.poke(), start: () => loop.start(), stop: () => loop.stop() };
}
