import type { Clock } from '../../../shared/ports/clock.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { Leases } from '../../../shared/ports/leases.ts';
import { createLeaseKeeper } from '../../../shared/runtime/lease-keeper.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { DueSchedules } from '../ports/due-schedules.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { Tracing } from '../../../shared/ports/tracing.ts';
import { notifiedPollMs } from '../fire/scheduler.ts';
import {
  createRearming,
  createScheduleFigures,
  fireBuffered,
  forgetOccurrences,
  recurSchedules,
} from './recur-schedules.ts';

const afterErrorMs = 1000;

export interface RecurringDeps {
  leases: Leases;
  dueSchedules: DueSchedules;
  region: string;
  owner: string;
  leaseMs: number;
  pollMs: number;
  changes: ChangeFeed;
  /** Days for which decided occurrences are kept; 0 means for ever. */
  keptDays: number;
  clock: Clock;
  logger: Logger;
  meter: Meter;
  tracing?: Tracing | null | undefined;
}

/**
 * Service that decides recurring schedules. Only one node of a region decides them, to save work. Correctness does not
 * depend on this, because row locks and unique keys prevent double decisions.
 */
export interface Recurring {
  start(): void;
  stopIntake(): Promise<void>;
  finishWork(): Promise<void>;
}

export function createRecurring(deps: RecurringDeps): Recurring {
  const { leases, dueSchedules, region, owner, leaseMs: ttlMs, pollMs, changes, keptDays, clock, logger } = deps;
  const name = `schedules-${region}`;
  const lease = createLeaseKeeper({ leases, name, owner, ttlMs, clock, logger, acquired: () => wake() });
  const loopDeps = {
    dueSchedules,
    node: { region, owner },
    pollMs,
    longestPollMs: () => (changes.isConnected() ? Math.max(pollMs, notifiedPollMs) : pollMs),
    onBuffered: () => waiting.poke(),
    isNotified: () => changes.isConnected(),
    isLeading: () => lease.held() !== null,
    tracing: deps.tracing,
    clock,
    logger,
    figures: createScheduleFigures(deps.meter),
  };
  const loopOf = (loop: string, turn: () => Promise<number>) =>
    createLoop({ name: loop, turn, afterErrorMs, clock, logger });
  const recurring = loopOf('recur-schedules', () => recurSchedules(loopDeps));
  const waiting = loopOf('fire-buffered', () => fireBuffered(loopDeps));
  changes.on('schedules', () => recurring.poke());
  changes.on('occurrences', () => waiting.poke());
  const loops = [
    recurring,
    waiting,
    loopOf('rearm-schedules', createRearming(loopDeps)),
    loopOf('forget-occurrences', () => forgetOccurrences(loopDeps, keptDays)),
  ];
  const wake = () => {
    for (const loop of loops) loop.poke();
  };

  return {
    start: () => {
      lease.start();
      for (const loop of loops) loop.start();
    },
    stopIntake: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
    finishWork: () => lease.stop(),
  };
}
