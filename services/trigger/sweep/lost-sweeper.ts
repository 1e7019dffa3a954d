import type { TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher } from '../../../shared/ports/message-bus.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { offerLost } from './offer-lost.ts';
import { pauseAfter } from '../../../shared/runtime/pause-after.ts';
import type { LostRef, OutboxSweep, SweptFeed } from '../ports/outbox-sweep.ts';
import type { RunTally } from '../ports/run-store.ts';
import type { OpenStep } from '../standing/step-progress.ts';
import type { TriggerFigures } from '../report/trigger-figures.ts';
import type { ThrottledWarn } from '../report/throttled-warn.ts';

/**
 * Maximum number of references and feeds per statement, so that no feed delays others. Feeds are read in groups, one
 * group after the other.
 */
const refsPerQuery = 200;
const feedsPerQuestion = 25;
/**
 * Maximum number of references that one sweep offers, and its maximum duration in milliseconds. An agenda entry that is
 * already done takes time, but does not count as a reference.
 */
const maxRefsPerPass = 5000;
const longestMs = 1000;

/**
 * Minimum time in milliseconds between two scans of a feed's window. If twenty times the duration of the last scan is
 * longer, that time applies.
 */
const windowEveryMs = 2000;
const windowBatches = 20_000;
const maxWindowsPerPass = 200;

const troubledForMs = 60_000;

export interface LostSweeperDeps {
  outboxSweep: OutboxSweep;
  publisher: MessagePublisher;
  topics: TopicNames;
  /** Returns the number of messages on a topic that no worker had handled when this sweep began; null if unknown. */
  backlogOf: (topic: string) => number | null;
  stallMs: number;
  clock: Clock;
  figures: Pick<TriggerFigures, 'offered'>;
  warn: ThrottledWarn;
  logger: Logger;
}

export interface Swept {
  quarantined: StepRef[];
  troubles: ReadonlyMap<string, string>;
  /** Milliseconds until the first agenda entry of each feed is due, read before this sweep offered any reference. */
  dueIn: ReadonlyMap<string, number>;
}

export interface LostSweeper {
  /** Offers due references of these runs again, and searches for references that were lost in a crash. */
  sweep(tallies: readonly RunTally[], open: readonly OpenStep[]): Promise<Swept>;
  /** Returns the number of steps of a feed that workers held at the last scan of its window. */
  inFlight(feedId: string): number;
  forget(feedIds: readonly string[]): void;
}

/** State of a feed between two scans of its window. A loss of the state costs only one more scan. */
interface WindowState {
  notBeforeMs: number;
  from: number;
  running: number;
  /** Steps whose topics contained no unhandled messages at the last scan. */
  quiet: ReadonlySet<number>;
}

/**
 * Publishes references again that were lost in a crash. An additional reference is harmless, because there is nothing
 * to claim. The agenda records each offer, so that repeated sweeps, or a new sweeper, do not flood the topics.
 */
export function createLostSweeper(deps: LostSweeperDeps): LostSweeper {
  const { outboxSweep, publisher, backlogOf, clock, logger, warn } = deps;
  const windows = new Map<string, WindowState>();
  let firstFeed = 0;
  /** Latest failure to publish, by topic. A successful publication to the topic removes the entry. */
  const troubles = new Map<string, { cause: string; atMs: number }>();

  async function sweep(tallies: readonly RunTally[], open: readonly OpenStep[]): Promise<Swept> {
    const openFeeds = new Set(open.map(({ feedId }) => feedId));
    for (const { feeds: ofRun } of tallies) forget(idsOf(ofRun).filter((feedId) => !openFeeds.has(feedId)));
    const feeds = tallies.flatMap(({ chain, feeds: ofRun }) =>
      ofRun.filter(({ feedId }) => openFeeds.has(feedId)).map(({ feedId }) => ({ feedId, chainLength: chain.length })),
    );
    await examineWindows(feeds, open);
    return offerDue(feeds, open, topicsOf(tallies, deps.topics));
  }

  async function examineWindows(feeds: readonly SweptFeed[], open: readonly OpenStep[]): Promise<void> {
    const steps = Map.groupBy(open, ({ feedId }) => feedId);
    const nowMs = clock.monotonicMs();
    const due = feeds
      .filter(({ feedId }) => (windows.get(feedId)?.notBeforeMs ?? 0) <= nowMs)
      .filter(({ feedId }) => steps.get(feedId)?.some(({ ready }) => ready > 0))
      .toSorted((a, b) => (windows.get(a.feedId)?.notBeforeMs ?? 0) - (windows.get(b.feedId)?.notBeforeMs ?? 0));
    for (const feed of due.slice(0, maxWindowsPerPass)) {
      await examineWindow(feed, steps.get(feed.feedId) ?? []).catch((error: unknown) => {
        warn('could not examine the window of a feed', String(error), { feedId: feed.feedId });
      });
    }
  }

  /**
   * Scans a feed's window for lost references. Only if a topic is empty at two scans in a row, references can have been
   * lost; at a single scan, new references may be on their way to the topic.
   */
  async function examineWindow(feed: SweptFeed, steps: readonly OpenStep[]): Promise<void> {
    const before = windows.get(feed.feedId);
    const quiet = new Set(steps.filter(({ topic }) => backlogOf(topic) === 0).map(({ step }) => step));
    const unrecorded = steps
      .filter(({ step, stillForMs }) => stillForMs >= deps.stallMs || (quiet.has(step) && before?.quiet.has(step)))
      .map(({ step }) => step);
    const from = before?.from ?? 1;
    const startedMs = clock.monotonicMs();
    const { running, next } = await outboxSweep.examine(feed, { from, limit: windowBatches, unrecorded });
    const endedMs = clock.monotonicMs();
    const notBeforeMs = endedMs + pauseAfter(endedMs - startedMs, windowEveryMs);
    windows.set(feed.feedId, { notBeforeMs, from: next ?? 1, running, quiet });
  }

  async function offerDue(
    openFeeds: readonly SweptFeed[],
    open: readonly OpenStep[],
    topicOf: (ref: StepRef) => string,
  ): Promise<Swept> {
    const dueIn = await outboxSweep.nextDue(idsOf(openFeeds));
    const feeds = openFeeds.filter(({ feedId }) => (dueIn.get(feedId) ?? Infinity) <= 0);
    const busy = open.filter(({ topic }) => (backlogOf(topic) ?? 0) > 0);
    const swept: Swept = { quarantined: [], troubles: new Map(), dueIn };
    const inTurn = [...feeds.slice(firstFeed), ...feeds.slice(0, firstFeed)];
    const untilMs = clock.monotonicMs() + longestMs;
    let [requested, offered] = [0, 0];
    while (inTurn.length > 0 && offered < maxRefsPerPass && clock.monotonicMs() < untilMs) {
      const chunk = inTurn.splice(0, feedsPerQuestion);
      const { offers, quarantined, more } = await outboxSweep.due(chunk, refsPerQuery, busy);
      inTurn.push(...chunk.filter(({ feedId }) => more.includes(feedId)));
      requested += chunk.length;
      swept.quarantined.push(...quarantined);
      offered += offers.length;
      await offer(offers, topicOf);
    }
    firstFeed = feeds.length === 0 ? 0 : (firstFeed + requested) % feeds.length;
    deps.figures.offered(offered);
    swept.troubles = recentTroubles();
    if (offered > 0) logger.debug({ refs: offered }, 'references published again');
    return swept;
  }

  async function offer(offers: readonly LostRef[], topicOf: (ref: StepRef) => string): Promise<void> {
    if (offers.length === 0) return;
    for (const [topic, cause] of await offerLost(offers, topicOf, { outboxSweep, publisher })) {
      if (cause === null) {
        troubles.delete(topic);
        continue;
      }
      troubles.set(topic, { cause, atMs: clock.monotonicMs() });
      warn('could not publish references again', cause, { topic });
    }
  }

  /**
   * Returns the failures to publish of the last minute, by topic. References that failed are tried again within
   * seconds, so an older failure may be over.
   */
  function recentTroubles(): Map<string, string> {
    const sinceMs = clock.monotonicMs() - troubledForMs;
    for (const [topic, { atMs }] of troubles) if (atMs < sinceMs) troubles.delete(topic);
    return new Map([...troubles].map(([topic, { cause }]) => [topic, cause]));
  }

  function forget(feedIds: readonly string[]): void {
    for (const feedId of feedIds) windows.delete(feedId);
  }

  return { sweep, forget, inFlight: (feedId) => windows.get(feedId)?.running ?? 0 };
}

function idsOf(feeds: readonly { feedId: string }[]): string[] {
  return feeds.map(({ feedId }) => feedId);
}

function topicsOf(tallies: readonly RunTally[], topics: TopicNames): (ref: StepRef) => string {
  const shards = new Map(
    tallies.flatMap(({ chain, feeds }) =>
      feeds.flatMap(({ feedId, country }) =>
        chain.map(({ action }, index): [string, string] => [
          `${feedId}/${index + 1}`,
          topics.shard({ actionType: action, country }),
        ]),
      ),
    ),
  );
  return ({ feedId, step }) => {
    const topic = shards.get(`${feedId}/${step}`);
    if (topic === undefined) throw new Error(`feed ${feedId} has no step ${step}`);
    return topic;
  };
}
