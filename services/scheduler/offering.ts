import { maxReferences } from '../../shared/contracts/messages/job-references.ts';
import type { JobReference } from '../../shared/domain/job/job-key.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { MessagePublisher, OutgoingMessage } from '../../shared/ports/message-bus.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../shared/runtime/loop.ts';
import type { BacklogGate } from './backlog-gate.ts';
import { createDeferredClients } from './deferred-clients.ts';
import { createFairOffers } from './fair-offers.ts';
import { createMarks } from './marks.ts';
import { createOfferedLately } from './offered-lately.ts';
import { lookForDeferred, lookForDue, lookForLate, nearMs, sweepDue, sweepLapsed, type LookEnd } from './offer-due.ts';
import type { DueReferences, Mark } from './ports/due-references.ts';
import { createSweptJobs } from './swept-jobs.ts';

/** Between two looks while something is near, and while nothing is. Longer ones cost lag for little (20 ms: twice the lag). */
const lookEveryMs = 10;
const idleEveryMs = 50;
const lateEveryMs = 250;
const historyEveryMs = 1000;
const sweepEveryMs = 2000;
const afterErrorMs = 500;
/** Publications under way at once, and jobs in one. */
const maxPublications = 4;
const jobsPerPublication = 1000;
/** What each client gets while the topic holds too much: dispatchers take clients in turn, so the crowd that fills it delays nobody else. */
const floorPerSecond = 50;
/** References in memory, some 300 bytes each. */
const maxPerClient = 5000;
const maxInAll = 50_000;

export interface OfferingDeps {
  due: DueReferences;
  publisher: MessagePublisher;
  topic: string;
  /** Partitions that are surely ours now; none while the region is switched off. */
  owned: () => readonly number[];
  /** Jobs per second that may be offered for a client by all schedulers; undefined: no limit. */
  rateOf: (clientId: string) => number | undefined;
  /** Part of all partitions that is ours, in (0, 1]. */
  share: () => number;
  gate: BacklogGate;
  clock: Clock;
  logger: Logger;
}

export interface OfferingLevels {
  /** Jobs that were looked at and wait to be offered. */
  waiting: number;
  /** Clients of which more is due than may wait in memory. */
  deferredClients: number;
  /** Jobs and messages since the start. */
  offered: number;
  messages: number;
  /** Of those, found by the sweep, and by late looks. */
  swept: number;
  late: number;
  /** How late the latest job was seen by the last look that found any, in milliseconds. */
  lagMs: number;
}

/** Looks at what is due in the partitions that are ours, and offers references to it. Holds no truth: all of it can be lost. */
export interface Offering extends Loop {
  levels(): OfferingLevels;
  /** Resolves when nothing is being published any more. */
  published(): Promise<void>;
}

export function createOffering(deps: OfferingDeps): Offering {
  const { due, publisher, topic, gate, clock, logger } = deps;
  const offers = createFairOffers({
    rateOf: (clientId) => {
      const rate = deps.rateOf(clientId);
      const own = rate === undefined ? undefined : rate * deps.share();
      return gate.isClosed ? Math.min(own ?? Infinity, floorPerSecond * deps.share()) : own;
    },
    ...{ maxPerClient, maxInAll },
  });
  const [marks, lately, deferred, swept] = [
    createMarks(),
    createOfferedLately(),
    createDeferredClients(),
    createSweptJobs(),
  ];
  const cursors = new Map<number, Mark>();
  const look = { due, marks, lately, deferred, offers };
  const figures = { offered: 0, swept: 0, late: 0, messages: 0, lagMs: 0 };
  const publishing = new Set<Promise<void>>();
  let [lateAtMs, historyAtMs, sweptAtMs] = [-Infinity, -Infinity, -Infinity];
  let lateHorizon: string | null = null;
  /** Whether the look before found something: then the next one comes as soon as if something were near. */
  let hasFound = false;

  async function turn(): Promise<number> {
    ownPartitions();
    const nowMs = clock.monotonicMs();
    if (nowMs - historyAtMs >= historyEveryMs) {
      historyAtMs = nowMs;
      marks.keepHistory(nowMs);
    }
    const looked = await lookForDue(look, hasFound ? 0 : nearMs);
    figures.lagMs = looked.lateMs;
    const behind = deferred.size > 0 ? await lookForDeferred(look) : 0;
    // Before looking back, which may take a while.
    publish();
    await lookBack(nowMs);
    publish();
    const pauseMs = hasFound && !looked.isFull ? lookEveryMs : pauseAfter(looked, behind);
    hasFound = looked.found > 0;
    return pauseMs;
  }

  function ownPartitions(): void {
    const owned = deps.owned();
    if (!marks.own(owned)) return;
    const kept = new Set(owned);
    offers.keepOnly(kept);
    lately.keepOnly(kept);
    deferred.keepOnly(kept);
    swept.keepOnly(kept);
    for (const partition of [...cursors.keys()]) if (!kept.has(partition)) cursors.delete(partition);
  }

  async function lookBack(nowMs: number): Promise<void> {
    if (nowMs - lateAtMs >= lateEveryMs) {
      const looked = await lookForLate(look, lateHorizon);
      figures.late += looked.found;
      lateHorizon = looked.horizon;
      // In a crowd that is due at once this reads all of it: it must not be all that is done.
      lateAtMs = nowMs + 4 * (clock.monotonicMs() - nowMs);
    }
    if (nowMs - sweptAtMs >= sweepEveryMs) {
      sweptAtMs = nowMs;
      // While more lies on the topic than is called in ten seconds, what was offered is on its way; what was claimed and not ended is not.
      const sweep = (gate.seconds ?? 0) >= 10 ? sweepLapsed : sweepDue;
      const lost = await sweep({ ...look, swept, cursors }, nowMs);
      figures.swept += lost.length;
      if (lost.length > 0) logger.warn({ jobs: lost.length }, 'jobs that nobody called are offered again');
    }
  }

  function pauseAfter({ found, isFull, isNear }: LookEnd, behind: number): number {
    if (isFull && publishing.size < maxPublications) return gate.isClosed ? lookEveryMs : 0;
    if (found + behind > 0 || isNear || offers.size > 0) return lookEveryMs;
    return idleEveryMs;
  }

  function publish(): void {
    while (publishing.size < maxPublications) {
      const references = offers.take(jobsPerPublication, clock.monotonicMs());
      if (references.length === 0) return;
      const publication = publishAll(references).finally(() => publishing.delete(publication));
      publishing.add(publication);
    }
  }

  async function publishAll(references: readonly JobReference[]): Promise<void> {
    const messages = messagesOf(references, topic);
    try {
      await publisher.publish(messages);
      figures.offered += references.length;
      figures.messages += messages.length;
    } catch (error) {
      logger.warn({ err: error, jobs: references.length }, 'could not offer jobs, trying again');
      await clock.sleep(afterErrorMs);
      offers.putBack(references);
    }
  }

  const loop = createLoop({ name: 'offer-jobs', turn, afterErrorMs, clock, logger });
  return {
    ...loop,
    levels: () => ({ waiting: offers.size, deferredClients: deferred.size, ...figures }),
    published: async () => {
      await Promise.all(publishing);
    },
  };
}

/** A few dozen references each: a message costs more than what it carries. */
export function messagesOf(references: readonly JobReference[], topic: string): OutgoingMessage[] {
  const messages: OutgoingMessage[] = [];
  for (let first = 0; first < references.length; first += maxReferences) {
    const clients: string[] = [];
    const jobs = references.slice(first, first + maxReferences).map(({ partition, dueUs, jobId, clientId }) => {
      const known = clients.indexOf(clientId);
      const place = known === -1 ? clients.push(clientId) - 1 : known;
      return [partition, dueUs, jobId, place];
    });
    messages.push({ topic, value: JSON.stringify({ clients, jobs }) });
  }
  return messages;
}
