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

/**
 * Between two looks while something is near, and while nothing is. Longer ones cost lag for little (20 ms: twice the
 * lag).
 */
const lookEveryMs = 10;
const idleEveryMs = 50;
/** Beside a crowd, where calls wait for longer than this and every look passes over its clients. */
const lookBesideCrowdEveryMs = 25;
/** What falls due so soon is near. */
const nearMs = 50;
/** It looks on like this after it was told of jobs or found some: who tells is then silent for half of it. */
const awakeForMs = 500;
/** Then it sleeps until the next one is due, so far ahead. A job of which the notice was lost waits for this. */
const longestSleepMs = 2000;
const lateEveryMs = 250;
/** So long after a mark has moved, late looks have nothing more to read: they end ten seconds after the due time. */
const nothingLateAfterMs = 11_000;
const sweepEveryMs = 2000;
/** Between two reads of what dispatchers take: while something is offered or held back, and while nothing is. */
const creditEveryMs = 100;
const idleCreditEveryMs = 1000;
/** What has nothing to do is woken when it has; and asks by itself after this. */
const untilWokenMs = 60_000;
/** A sweep that finds lost references of clients that are behind begins within this time. */
const listEveryMs = 60_000;
const afterErrorMs = 500;

export interface OfferingDeps extends ClientCreditDeps {
  due: DueReferences;
  dispatchers: Dispatchers;
  region: string;
  publisher: MessagePublisher;
  topic: string;
  /** Partitions that are certainly ours now; none while the region is switched off. */
  owned: () => readonly number[];
  /** Tell of jobs that are due sooner than after the longest sleep. */
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

export interface OfferingLevels {
  /** Clients of which more is due than dispatchers take now. */
  clientsBehind: number;
  /** Jobs since the start. */
  offered: number;
  /** Of those, found by the sweep, and by late looks. */
  swept: number;
  late: number;
  /** How late the latest job was seen by the last look that found any, in milliseconds. */
  lagMs: number;
}

/**
 * Looks at what is due in the partitions that are ours, and offers references to it. Holds no truth: all of it can be
 * lost.
 */
export interface Offering {
  start(): void;
  /** Looks at once: other partitions are ours. */
  poke(): void;
  stop(): Promise<void>;
  levels(): OfferingLevels;
  /** Clients that are behind, and for how long the oldest job that is left of each has been due. */
  behindMs(): Map<string, number>;
  /** Resolves when nothing is being published any more. */
  published(): Promise<void>;
}

/*
 * Who remembers what, and when it is forgotten. All of it goes with its partition.
 * marks     how far the look for all clients has read, and where that stood ten seconds ago
 * lately    what was offered in the second before a mark, until a late look ends and the mark is a second further: late
 *           looks leave it out
 * behind    spans in which jobs of a client's band wait that looks passed over, until they have been read
 * swept     what was found lost, until a pass does not find it; where the pass stands, and whether it lists what it
 *           passes over
 * credit    what dispatchers take of each client, until they say something else; what was offered since, while it may
 *           be on its way
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
  /** By how much the database's clock is ahead of our monotonic one, as heard last. */
  let clockAheadMs = 0;
  /** When a look found something last, and so moved marks. */
  let foundAtMs = -Infinity;
  /** Whether the look before found something: then the next one comes as soon as if something were near. */
  let hasFound = false;
  /** When jobs were told last, and when there may have been some that were not. */
  let toldAtMs = -Infinity;
  /** Whether the last look was one after which it sleeps until the next job is due. */
  let isAsleep = false;
  /** Whether late looks have ended, until a mark moves. */
  let isNothingLate = false;

  async function turn(): Promise<number> {
    ownPartitions();
    const nowMs = clock.monotonicMs();
    // What is not looked at costs nothing: it stays where it is until it is taken.
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

  /** Otherwise it looks every few milliseconds. */
  function maySleep(nowMs: number): boolean {
    return changes.isConnected() && nowMs >= Math.max(toldAtMs, foundAtMs) + awakeForMs && behind.size === 0;
  }

  function hearOfJobs(): void {
    toldAtMs = clock.monotonicMs();
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
      // What it had in memory is found at once, and not when ten seconds are over.
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
   * A statement that stood still between its clock and its commit leaves jobs seconds behind the marks, where no late
   * look finds them. Pauses that grow with the time that a look took are as long as if it had worked all the while.
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
    // Where it takes long, everybody's look needs the time.
    return isMore ? Math.max(lookEveryMs, clock.monotonicMs() - nowMs) : creditEveryMs;
  }

  async function lookBack(): Promise<number> {
    if (publications.isFull) return lateEveryMs;
    const nowMs = clock.monotonicMs();
    // What is behind is told by the database's clock, which late looks bring.
    isNothingLate = !credit.isAny || (nowMs - foundAtMs > nothingLateAfterMs && behind.size === 0);
    if (isNothingLate) return untilWokenMs;
    const looked = await lookForLate(look, lateHorizon, nowMs);
    figures.late += looked.found;
    lateHorizon = looked.horizon;
    if (looked.nowUs !== null) clockAheadMs = looked.nowUs / 1000 - clock.monotonicMs();
    publish();
    // Of a crowd that was due at once just now this reads all: it must not be all that the database does.
    return Math.max(lateEveryMs, 19 * (clock.monotonicMs() - nowMs));
  }

  async function sweep(): Promise<number> {
    const nowMs = clock.monotonicMs();
    const lost = [...(await sweepDue(look, nowMs)), ...(await sweepLapsed(look, nowMs))];
    figures.swept += lost.length;
    if (lost.length > 0) logger.warn({ jobs: lost.length }, 'jobs that nobody called are offered again');
    // Past a crowd that only waits it reads a hundred thousand rows: where that is slow, others need the time.
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
  // Not in turn with looks: where these take long, what is known of credit would be as old, and nothing would catch up.
  const asking = createLoop({
    name: 'read-credit',
    turn: readCredit,
    afterErrorMs,
    minBetweenMs: creditEveryMs,
    clock,
    logger,
  });
  // Beside a crowd these take a while: looks do not wait for them.
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
