import type { Clock } from '../../../shared/ports/clock.ts';
import type { DueJobs } from '../ports/due-jobs.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { Leases } from '../../../shared/ports/leases.ts';
import { createLeaseKeeper } from '../../../shared/runtime/lease-keeper.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { Service } from '../../../shared/runtime/process/service.ts';
import { fireJobs } from './fire-jobs.ts';

const afterErrorMs = 1000;
/**
 * Poll interval in milliseconds while notifications arrive. A run start whose notification was lost waits up to this
 * long.
 */
export const notifiedPollMs = 2000;

export interface SchedulerDeps {
  leases: Leases;
  dueJobs: DueJobs;
  /** Name of this process. No other process has or had the same name. */
  owner: string;
  leaseMs: number;
  pollMs: number;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

/** Creates runs from due jobs. If several schedulers run, only the holder of the lease creates runs. */
export interface Scheduler extends Service {
  start(): void;
}

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { leases, owner, leaseMs, changes, clock, logger } = deps;
  let intake = false;

  const lease = createLeaseKeeper({
    leases,
    name: 'scheduler',
    owner,
    ttlMs: leaseMs,
    clock,
    logger,
    acquired: () => fires.poke(),
  });
  const fires = createLoop({
    name: 'fire-jobs',
    turn: () =>
      fireJobs({
        dueJobs: deps.dueJobs,
        pollMs: changes.isConnected() ? Math.max(deps.pollMs, notifiedPollMs) : deps.pollMs,
        held: () => lease.held(),
        leaseLost: () => lease.doubt(),
        logger,
      }),
    afterErrorMs,
    clock,
    logger,
  });
  changes.on('run-starts', () => fires.poke());

  return {
    start: () => {
      intake = true;
      lease.start();
      fires.start();
    },
    ready: () => intake,
    stopIntake: async () => {
      intake = false;
      await fires.stop();
    },
    finishWork: () => lease.stop(),
    close: () => Promise.resolve(),
  };
}
