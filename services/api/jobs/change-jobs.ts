import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { JobChanges } from './postgres/job-changes.ts';
import type { JobStore } from './postgres/job-store.ts';

/** Jobs of one transaction: they are locked together. */
const jobsPerPart = 500;
/** Between two looks for changes that another process left, or that it has no time for. */
const lookEveryMs = 5000;

export interface JobChangerDeps {
  changes: JobChanges;
  jobStore: Pick<JobStore, 'list'>;
  clock: Clock;
  logger: Logger;
}

/**
 * Carries changes of many jobs out, part by part. A process that dies in the middle leaves a place, where another goes
 * on.
 */
export interface JobChanger {
  /** There is something to do. */
  poke(): void;
  start(): void;
  stop(): Promise<void>;
}

export function createJobChanger({ changes, jobStore, clock, logger }: JobChangerDeps): JobChanger {
  async function turn(): Promise<number> {
    const change = await changes.nextRunning();
    if (!change) return lookEveryMs;
    const { clientId, filter, place, dueAt } = change;
    const { items, next } = await jobStore.list({ ...filter, clientIds: [clientId] }, jobsPerPart, place);
    // What was moved to its new time already stands before us again.
    const others = items.filter((job) => dueAt === null || job.dueAt?.getTime() !== dueAt.getTime());
    const ids = others.map(({ jobId }) => jobId);
    await changes.apply(change, ids, next);
    return 0;
  }

  const loop = createLoop({ name: 'change-jobs', turn, afterErrorMs: lookEveryMs, clock, logger });
  return { poke: () => loop.poke(), start: () => loop.start(), stop: () => loop.stop() };
}
