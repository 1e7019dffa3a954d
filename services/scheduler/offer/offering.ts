import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher } from '../../../shared/ports/message-bus.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import { createClientCredit, type ClientCreditDeps } from './client-credit.ts';
import { createBackloggedClients } from './backlogged-clients.ts';
import { createMarks } from './marks.ts';
import { createRecentOffers } from './recent-offers.ts';
import { offerBacklogged } from './offer-backlogged.ts';
import { scanDue, scanLate, sweepDue, sweepLapsed, type ScanEnd } from './offer-due.ts';
import type { Dispatchers } from '../ports/dispatchers.ts';
import type { DueReferences } from '../ports/due-references.ts';
import { createPublications } from './publications.ts';
import { createPeekSize } from './peek-size.ts';
import { createStandstills } from './standstills.ts';
import { createSweptJobs } from './swept-jobs.ts';

/**
 * Intervals in milliseconds between scans (reads of due jobs): `scanEveryMs` while a job is due soon, `idleEveryMs`
 * otherwise. Longer intervals save little CPU time: with 20 ms, jobs are twice as late.
 */
const scanEveryMs = 10;
const idleEveryMs = 50;
/**
 * Interval in milliseconds between scans while there is a backlog. The interval is longer, because each scan has to
 * skip the rows of the backlog, and the calls of the backlog wait longer anyway.
 */
const scanWithBacklogEveryMs = 25;
/** Time in milliseconds within which a job counts as due soon. */
const nearMs = 50;
/**
 * Time in milliseconds after a notification or a found job during which the loop does not sleep. For half of this time,
 * senders send no second notification.
 */
const awakeForMs = 500;
/** Longest sleep in milliseconds until the next due job. A job whose notification was lost waits up to this long. */
const longestSleepMs = 2000;
const lateEveryMs = 250;
/**
 * A mark is the due time up to which the jobs of a partition were offered. A late scan searches for jobs that were
 * committed after the mark had passed their due time, which is possible for ten seconds. If no mark has moved for this
 * time in milliseconds, late scans pause.
 */
const nothingLateAfterMs = 11_000;
const sweepEveryMs = 2000;
/**
 * Intervals in milliseconds between reads of the credit: `creditEveryMs` while jobs are offered or wait for credit,
 * `idleCreditEveryMs` otherwise.
 */
const creditEveryMs = 100;
const idleCreditEveryMs = 1000;
/** Maximum pause in milliseconds of a loop that has nothing to do. Other loops wake it earlier. */
const untilWokenMs = 60_000;
/**
 * Maximum time in milliseconds until a sweep begins that also finds lost jobs of bands (a client and a priority) with a
 * backlog.
 */
const listEveryMs = 60_000;
const afterErrorMs = 500;

export interface OfferingDeps extends ClientCreditDeps {
  due: DueReferences;
  dispatchers: Dispatchers;
  region: string;
  publisher: MessagePublisher;
  topic: string;
  /** Partitions that this scheduler certainly owns; none while the region is switched off. */
  owned: () => readonly number[];
  /** Sends a notification when a job becomes due before the longest sleep ends. */
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

export interface OfferingLevels {
  /** Clients with more due jobs than dispatchers accept now. */
  clientsBehind: number;
  offered: number;
  /** Number of jobs in `offered` that the sweep found. `late` is the number of those that late scans found. */
  swept: number;
  late: number;
  /** Milliseconds by which the oldest job that a scan found was overdue, at the last scan that found a job. */
  lagMs: number;
}

/**
 * Reads due jobs in the owned partitions, and offers references to them to dispatchers. The state is only in memory; if
 * it is lost, the next owner of the partitions reads them again.
 */
export interface Offering {
  start(): void;
  /** Starts a scan at once. Called when the owned partitions have changed. */
  poke(): void;
  stop(): Promise<void>;
  levels(): OfferingLevels;
  /**
   * Returns the clients with a backlog, and for each, the milliseconds for which its oldest waiting job has been due.
   */
  behindMs(): Map<string, number>;
  published(): Promise<void>;
}

/*
 * State of the offering in memory, and when its entries are removed. If a partition is no longer owned, its entries are
 * removed too.
 * - `marks`: positions up to which scans have read, now and ten seconds ago.
 * - `lately`: jobs offered in the second before a mark, which late scans skip. Kept until a late scan has ended and the
 *   mark is a second further.
 * - `backlogged`: spans of waiting jobs that scans skipped, by band. Kept until they are read.
 * - `swept`: jobs that the sweep found lost, until a pass does not find them any more; and the position of the pass.
 * - `credit`: credit of each band until the next report of the dispatchers, and offers that this report may not
 *   include.
 */
export function createOffering(deps: OfferingDeps): Offering {
  const { due, dispatchers, region, changes, clock, logger } = deps;
  const [marks, lately, backlogged, swept] = [
    createMarks(),
    createRecentOffers(),
    createBackloggedClients(),
    createSweptJobs(),
  ];
  const credit = createClientCredit(deps);
  const publications = createPublications(deps);
  const standstills = createStandstills();
  const outbox: JobReference[] = [];
  const scanDeps = { due, marks, lately, backlogged, peekSize: createPeekSize(), swept, credit, outbox };
  const figures = { swept: 0, late: 0, lagMs: 0 };
  let listedAtMs = 0;
  let lateHorizon: string | null = null;
  /** Milliseconds by which the database's clock is ahead of this process's monotonic clock, as of the last read. */
  let clockAheadMs = 0;
  /** Time of the last scan that found a job, and therefore moved a mark. */
  let foundAtMs = -Infinity;
  /** True if the last scan found a job. The next scan then follows soon. */
  let hasFound = false;
  /**
   * Time of the last notification about jobs. After a lost connection, a notification may be missing, so the
   * reconnection counts as a notification.
   */
  let notifiedAtMs = -Infinity;
  /** True if the loop sleeps until the next due job. */
  let isAsleep = false;
  /** True if the scans for jobs that were committed late pause until the next due time of a partition advances. */
  let isNothingLate = false;

  async function turn(): Promise<number> {
    ownPartitions();
    const nowMs = clock.monotonicMs();
    // While no dispatcher accepts jobs, the loop reads no jobs. They stay in the database.
    if (!credit.isAny || marks.size === 0) return idleEveryMs;
    if (publications.isFull) return scanEveryMs;
    isAsleep = maySleep(nowMs);
    const scan = await scanDue(scanDeps, hasFound ? 0 : isAsleep ? longestSleepMs : nearMs, nowMs);
    figures.lagMs = scan.lateMs;
    publish();
    const pauseMs = hasFound && !scan.isFull ? whileNear() : pauseAfter(scan);
    hasFound = scan.found > 0;
    if (hasFound) foundAtMs = clock.monotonicMs();
    if (hasFound || backlogged.size > 0) {
      creditLoop.poke();
      wakeLateScans();
    }
    return pauseMs;
  }

  function wakeLateScans(): void {
    if (isNothingLate) lateScanLoop.poke();
    isNothingLate = false;
  }

  /** Returns true if the loop may sleep until the next job is due. Otherwise, it scans every few milliseconds. */
  function maySleep(nowMs: number): boolean {
    return changes.isConnected() && nowMs >= Math.max(notifiedAtMs, foundAtMs) + awakeForMs && backlogged.size === 0;
  }

  function onJobsNotified(): void {
    notifiedAtMs = clock.monotonicMs();
    if (isAsleep) scanLoop.poke();
  }

  function ownPartitions(): void {
    const owned = deps.owned();
    if (!marks.own(owned)) return;
    const kept = new Set(owned);
    for (const memory of [lately, backlogged, swept]) memory.keepOnly(kept);
  }

  async function readCredit(): Promise<number> {
    const nowMs = clock.monotonicMs();
    marks.keepHistory(nowMs);
    const wasAny = credit.isAny;
    const gone = credit.refresh(await dispatchers.credit(region), nowMs);
    if (standstills.isOver(nowMs, clock.monotonicMs())) onStandstillOver();
    if (!wasAny) scanLoop.poke();
    if (!wasAny || backlogged.size > 0) wakeLateScans();
    if (gone > 0) {
      // A dispatcher has disappeared, and the jobs in its memory are lost. With settled marks, the sweep finds these
      // jobs at once, instead of after ten seconds.
      marks.settle();
      sweepLoop.poke();
    }
    if (gone > 0 || nowMs - listedAtMs >= listEveryMs) {
      swept.list();
      listedAtMs = nowMs;
    }
    if (backlogged.size > 0) backlogLoop.poke();
    return idleCreditEveryMs;
  }

  /**
   * Makes the sweep find jobs that scans missed during a standstill. If a statement was suspended between reading the
   * clock and its commit, its jobs lie seconds before the marks, where late scans do not search. Also wakes the loops,
   * because the standstill made their pauses longer.
   */
  function onStandstillOver(): void {
    marks.settle();
    sweepLoop.poke();
    lateScanLoop.poke();
  }

  async function readBacklogged(): Promise<number> {
    if (backlogged.size === 0 || !credit.isAny) return untilWokenMs;
    if (publications.isFull) return creditEveryMs;
    const nowMs = clock.monotonicMs();
    const isMore = await offerBacklogged(scanDeps, nowMs);
    publish();
    // If this read took long, the pause is as long, so that scans get enough time in the database.
    return isMore ? Math.max(scanEveryMs, clock.monotonicMs() - nowMs) : creditEveryMs;
  }

  async function scanLateCommits(): Promise<number> {
    if (publications.isFull) return lateEveryMs;
    const nowMs = clock.monotonicMs();
    // Late scans also read the database's clock. While there is a backlog, they continue, because the waiting time of
    // its jobs is computed with this clock.
    isNothingLate = !credit.isAny || (nowMs - foundAtMs > nothingLateAfterMs && backlogged.size === 0);
    if (isNothingLate) return untilWokenMs;
    const lateScan = await scanLate(scanDeps, lateHorizon, nowMs);
    figures.late += lateScan.found;
    lateHorizon = lateScan.horizon;
    if (lateScan.nowUs !== null) clockAheadMs = lateScan.nowUs / 1000 - clock.monotonicMs();
    publish();
    // After the end of a large backlog, a late scan reads all its jobs. The pause limits late scans to a twentieth of
    // the database's time.
    return Math.max(lateEveryMs, 19 * (clock.monotonicMs() - nowMs));
  }

  async function sweep(): Promise<number> {
    const nowMs = clock.monotonicMs();
    const lost = [...(await sweepDue(scanDeps, nowMs)), ...(await sweepLapsed(scanDeps, nowMs))];
    figures.swept += lost.length;
    if (lost.length > 0) logger.warn({ jobs: lost.length }, 'jobs that nobody called are offered again');
    // While there is a backlog, a sweep may read a hundred thousand rows. If the sweep is slow, the long pause leaves
    // the database to others.
    return Math.max(sweepEveryMs, 10 * (clock.monotonicMs() - nowMs));
  }

  function pauseAfter({ found, isFull, nextInMs }: ScanEnd): number {
    if (isFull) return 0;
    if (found > 0 || backlogged.size > 0) return whileNear();
    if (!isAsleep) return nextInMs === null ? idleEveryMs : scanEveryMs;
    // The time is rounded up, so that the next scan does not come too early.
    return nextInMs === null ? longestSleepMs : Math.ceil(nextInMs);
  }

  function whileNear(): number {
    return backlogged.size > 0 ? scanWithBacklogEveryMs : scanEveryMs;
  }

  function publish(): void {
    if (outbox.length > 0) publications.publish(outbox.splice(0));
  }

  const scanLoop = createLoop({ name: 'offer-jobs', turn, afterErrorMs, clock, logger });
  // Credit is read in a loop of its own. If scans read it, a slow scan would delay it, and backlogs would not shrink.
  const creditLoop = createLoop({
    name: 'read-credit',
    turn: readCredit,
    afterErrorMs,
    minBetweenMs: creditEveryMs,
    clock,
    logger,
  });
  // These reads have loops of their own, so that scans do not wait for them. They are slow while there is a backlog.
  const backlogLoop = createLoop({ name: 'offer-behind', turn: readBacklogged, afterErrorMs, clock, logger });
  const lateScanLoop = createLoop({ name: 'look-late', turn: scanLateCommits, afterErrorMs, clock, logger });
  const sweepLoop = createLoop({ name: 'sweep-jobs', turn: sweep, afterErrorMs: sweepEveryMs, clock, logger });
  changes.on('jobs', onJobsNotified);
  const loops = [creditLoop, scanLoop, backlogLoop, lateScanLoop, sweepLoop];
  return {
    start: () => {
      for (const loop of loops) loop.start();
    },
    poke: () => scanLoop.poke(),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
    levels: () => ({
      clientsBehind: backlogged.count(),
      offered: publications.offered,
      ...figures,
    }),
    behindMs: () => {
      const nowMs = clock.monotonicMs() + clockAheadMs;
      return new Map(
        Array.from(backlogged.oldest(), ([clientId, dueUs]) => [clientId, Math.max(0, nowMs - dueUs / 1000)]),
      );
    },
    published: () => publications.end(),
  };
}
