import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher } from '../../../shared/ports/message-bus.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import { createClientCredit, type ClientCreditDeps } from './client-credit.ts';
import { createClientsBehind } from './clients-behind.ts';
import { createMarks } from './marks.ts';
import { createRecentOffers } from './recent-offers.ts';
import { lookBehind } from './look-behind.ts';
import { lookForDue, lookForLate, sweepDue, sweepLapsed, type LookEnd } from './offer-due.ts';
import type { Dispatchers } from '../ports/dispatchers.ts';
import type { DueReferences } from '../ports/due-references.ts';
import { createPublications } from './publications.ts';
import { createSkimSize } from './skim-size.ts';
import { createStandstills } from './standstills.ts';
import { createSweptJobs } from './swept-jobs.ts';

/** Intervals of looks, while a job is near and while none is. Longer ones save little (20 ms: twice the lag). */
const lookEveryMs = 10;
const idleEveryMs = 50;
/** Interval beside a crowd, whose calls wait for longer, and whose clients every look passes over. */
const lookBesideCrowdEveryMs = 25;
/** A job that is due within this time is near. */
const nearMs = 50;
/** Time without sleep after a notification or a found job. Senders skip further notifications for half of this time. */
const awakeForMs = 500;
/** Longest sleep until the next due job. A job whose notification was lost waits for this time. */
const longestSleepMs = 2000;
const lateEveryMs = 250;
/** Time after the last move of a mark until late looks pause: they cover ten seconds after the due time. */
const nothingLateAfterMs = 11_000;
const sweepEveryMs = 2000;
/** Intervals of reads of credit, while jobs are offered or wait for credit, and while there are none. */
const creditEveryMs = 100;
const idleCreditEveryMs = 1000;
/** Longest pause of an idle loop, which other loops wake. */
const untilWokenMs = 60_000;
/** Longest time until a sweep that finds lost references of clients behind begins. */
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
  /** Notifies of jobs that are due before the longest sleep ends. */
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

export interface OfferingLevels {
  /** Clients with more due jobs than dispatchers accept now. */
  clientsBehind: number;
  offered: number;
  /** Part of `offered` found by the sweep; `late` by late looks. */
  swept: number;
  late: number;
  /** Lateness of the latest job at the last look that found any, in milliseconds. */
  lagMs: number;
}

/** Reads due jobs in the owned partitions and offers references to them. Holds only state that can be lost. */
export interface Offering {
  start(): void;
  /** Looks at once, because the owned partitions have changed. */
  poke(): void;
  stop(): Promise<void>;
  levels(): OfferingLevels;
  /** Clients behind, and how long the oldest waiting job of each has been due. */
  behindMs(): Map<string, number>;
  published(): Promise<void>;
}

/*
 * Memory of the offering, and when entries are forgotten. All of it goes with its partition.
 * marks     positions of the look for all clients, now and ten seconds ago
 * lately    offers of the second before a mark, which late looks skip; kept until a late look ends and the mark is a
 *           second further
 * behind    spans of waiting jobs that looks passed over, by band; kept until they are read
 * swept     jobs found lost, until a pass does not find them; the position of the pass, and whether it lists the jobs
 *           that it passes over
 * credit    credit by client until the next report of dispatchers; offers since then, while they may be on their way
 */
export function createOffering(deps: OfferingDeps): Offering {
  const { due, dispatchers, region, changes, clock, logger } = deps;
  const [marks, lately, behind, swept] = [
    createMarks(),
    createRecentOffers(),
    createClientsBehind(),
    createSweptJobs(),
  ];
  const credit = createClientCredit(deps);
  const publications = createPublications(deps);
  const standstills = createStandstills();
  const outbox: JobReference[] = [];
  const look = { due, marks, lately, behind, skimSize: createSkimSize(), swept, credit, outbox };
  const figures = { swept: 0, late: 0, lagMs: 0 };
  let listedAtMs = 0;
  let lateHorizon: string | null = null;
  /** Offset of the database's clock from this process's monotonic one, at the last read. */
  let clockAheadMs = 0;
  /** Time of the last look that found a job and so moved marks. */
  let foundAtMs = -Infinity;
  /** True if the last look found a job: the next one follows as if a job were near. */
  let hasFound = false;
  /** Time of the last notification of jobs, or of a possibly lost one. */
  let notifiedAtMs = -Infinity;
  /** True if the last look was one before a sleep. */
  let isAsleep = false;
  /** True if late looks have ended, until a mark moves. */
  let isNothingLate = false;

  async function turn(): Promise<number> {
    ownPartitions();
    const nowMs = clock.monotonicMs();
    // Without credit, unread jobs cost nothing.
    if (!credit.isAny || marks.size === 0) return idleEveryMs;
    if (publications.isFull) return lookEveryMs;
    isAsleep = maySleep(nowMs);
    const looked = await lookForDue(look, hasFound ? 0 : isAsleep ? longestSleepMs : nearMs, nowMs);
    figures.lagMs = looked.lateMs;
    publish();
    const pauseMs = hasFound && !looked.isFull ? whileNear() : pauseAfter(looked);
    hasFound = looked.found > 0;
    if (hasFound) foundAtMs = clock.monotonicMs();
    if (hasFound || behind.size > 0) {
      asking.poke();
      wakeLateLooks();
    }
    return pauseMs;
  }

  function wakeLateLooks(): void {
    if (isNothingLate) lookingBack.poke();
    isNothingLate = false;
  }

  /** Returns whether it may sleep until the next job is due; otherwise it looks every few milliseconds. */
  function maySleep(nowMs: number): boolean {
    return changes.isConnected() && nowMs >= Math.max(notifiedAtMs, foundAtMs) + awakeForMs && behind.size === 0;
  }

  function hearOfJobs(): void {
    notifiedAtMs = clock.monotonicMs();
    if (isAsleep) looking.poke();
  }

  function ownPartitions(): void {
    const owned = deps.owned();
    if (!marks.own(owned)) return;
    const kept = new Set(owned);
    for (const memory of [lately, behind, swept]) memory.keepOnly(kept);
  }

  async function readCredit(): Promise<number> {
    const nowMs = clock.monotonicMs();
    marks.keepHistory(nowMs);
    const wasAny = credit.isAny;
    const gone = credit.refresh(await dispatchers.credit(region), nowMs);
    if (standstills.isOver(nowMs, clock.monotonicMs())) onStandstillOver();
    if (!wasAny) looking.poke();
    if (!wasAny || behind.size > 0) wakeLateLooks();
    if (gone > 0) {
      // Jobs in the memory of a lost dispatcher are found at once, instead of after ten seconds.
      marks.settle();
      sweeping.poke();
    }
    if (gone > 0 || nowMs - listedAtMs >= listEveryMs) {
      swept.list();
      listedAtMs = nowMs;
    }
    if (behind.size > 0) reading.poke();
    return idleCreditEveryMs;
  }

  /**
   * Repairs marks after a standstill. If a statement was suspended between its clock and its commit, its jobs lie
   * seconds behind the marks, beyond the reach of late looks. Wakes the loops, whose pauses include the standstill.
   */
  function onStandstillOver(): void {
    marks.settle();
    sweeping.poke();
    lookingBack.poke();
  }

  async function readBehind(): Promise<number> {
    if (behind.size === 0 || !credit.isAny) return untilWokenMs;
    if (publications.isFull) return creditEveryMs;
    const nowMs = clock.monotonicMs();
    const isMore = await lookBehind(look, nowMs);
    publish();
    // If the read takes long, the look for all clients needs the time.
    return isMore ? Math.max(lookEveryMs, clock.monotonicMs() - nowMs) : creditEveryMs;
  }

  async function lookBack(): Promise<number> {
    if (publications.isFull) return lateEveryMs;
    const nowMs = clock.monotonicMs();
    // The waiting time of clients behind needs the database's clock, which late looks read.
    isNothingLate = !credit.isAny || (nowMs - foundAtMs > nothingLateAfterMs && behind.size === 0);
    if (isNothingLate) return untilWokenMs;
    const looked = await lookForLate(look, lateHorizon, nowMs);
    figures.late += looked.found;
    lateHorizon = looked.horizon;
    if (looked.nowUs !== null) clockAheadMs = looked.nowUs / 1000 - clock.monotonicMs();
    publish();
    // After a crowd, this reads all of it. The pause keeps late looks from taking most of the database's time.
    return Math.max(lateEveryMs, 19 * (clock.monotonicMs() - nowMs));
  }

  async function sweep(): Promise<number> {
    const nowMs = clock.monotonicMs();
    const lost = [...(await sweepDue(look, nowMs)), ...(await sweepLapsed(look, nowMs))];
    figures.swept += lost.length;
    if (lost.length > 0) logger.warn({ jobs: lost.length }, 'jobs that nobody called are offered again');
    // Past a waiting crowd, a sweep reads a hundred thousand rows. If that is slow, the pause leaves time to others.
    return Math.max(sweepEveryMs, 10 * (clock.monotonicMs() - nowMs));
  }

  function pauseAfter({ found, isFull, nextInMs }: LookEnd): number {
    if (isFull) return 0;
    if (found > 0 || behind.size > 0) return whileNear();
    if (!isAsleep) return nextInMs === null ? idleEveryMs : lookEveryMs;
    // Rounded up, so that no look comes too early.
    return nextInMs === null ? longestSleepMs : Math.ceil(nextInMs);
  }

  function whileNear(): number {
    return behind.size > 0 ? lookBesideCrowdEveryMs : lookEveryMs;
  }

  function publish(): void {
    if (outbox.length > 0) publications.publish(outbox.splice(0));
  }

  const looking = createLoop({ name: 'offer-jobs', turn, afterErrorMs, clock, logger });
  // Separate from the looks: after slow looks, the known credit would be outdated, and clients behind would not catch
  // up.
  const asking = createLoop({
    name: 'read-credit',
    turn: readCredit,
    afterErrorMs,
    minBetweenMs: creditEveryMs,
    clock,
    logger,
  });
  // Separate loops, so that looks do not wait for these reads, which are slow beside a crowd.
  const reading = createLoop({ name: 'offer-behind', turn: readBehind, afterErrorMs, clock, logger });
  const lookingBack = createLoop({ name: 'look-late', turn: lookBack, afterErrorMs, clock, logger });
  const sweeping = createLoop({ name: 'sweep-jobs', turn: sweep, afterErrorMs: sweepEveryMs, clock, logger });
  changes.on('jobs', hearOfJobs);
  const loops = [asking, looking, reading, lookingBack, sweeping];
  return {
    start: () => {
      for (const loop of loops) loop.start();
    },
    poke: () => looking.poke(),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
    levels: () => ({
      clientsBehind: behind.count(),
      offered: publications.offered,
      ...figures,
    }),
    behindMs: () => {
      const nowMs = clock.monotonicMs() + clockAheadMs;
      return new Map(Array.from(behind.oldest(), ([clientId, dueUs]) => [clientId, Math.max(0, nowMs - dueUs / 1000)]));
    },
    published: () => publications.end(),
  };
}
