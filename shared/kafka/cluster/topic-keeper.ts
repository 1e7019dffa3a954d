import type { Clock } from '../../ports/clock.ts';
import type { TopicSpec } from '../../ports/message-bus.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createTopicAdmin } from './topic-admin.ts';

/** Pauses between two attempts to create missing topics, in milliseconds; they double while attempts fail. */
const pausesMs = { first: 500, longest: 30_000 };

const soonMs = 5_000;

/** Creates missing topics that a consumer or publisher needs, in the background. */
export interface TopicKeeper {
  /**
   * Creates the given topics, unless an attempt is in progress or the last one has just failed. Never rejects; true if
   * they exist and can be written.
   */
  ensure(topics: readonly string[]): Promise<boolean>;
  /** Like `ensure`, for the start of a process: resolves after 5 s at the latest, while the attempt continues. */
  ensureSoon(topics: readonly string[]): Promise<void>;
  /** Replaces the specifications of the kept topics. */
  keep(specs: readonly TopicSpec[]): void;
  /** Aborts a running attempt; none begins afterwards. */
  close(): Promise<void>;
}

export interface TopicKeeperDeps {
  kafka: KafkaConnection;
  specs: readonly TopicSpec[];
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  logger: Logger;
}

export function createTopicKeeper({ kafka, specs, clock, logger }: TopicKeeperDeps): TopicKeeper {
  let kept = new Map(specs.map((spec) => [spec.topic, spec]));
  let underWay: Promise<boolean> | undefined;
  let pauseMs = pausesMs.first;
  let notBeforeMs = -Infinity;
  const closing = new AbortController();

  async function attempt(wanted: readonly TopicSpec[]): Promise<boolean> {
    const admin = createTopicAdmin({ kafka, signal: closing.signal });
    const topics = wanted.map(({ topic }) => topic);
    try {
      await admin.ensureTopics(wanted);
      pauseMs = pausesMs.first;
      return true;
    } catch (error) {
      if (closing.signal.aborted) return false;
      logger.warn({ err: error, topics }, 'topics are missing and could not be created, trying again');
      notBeforeMs = clock.monotonicMs() + pauseMs;
      pauseMs = Math.min(2 * pauseMs, pausesMs.longest);
      return false;
    } finally {
      await admin.close().catch(() => undefined);
    }
  }

  async function ensure(topics: readonly string[]): Promise<boolean> {
    const wanted = topics.map((topic) => kept.get(topic)).filter((spec) => spec !== undefined);
    if (closing.signal.aborted || underWay || wanted.length === 0 || clock.monotonicMs() < notBeforeMs) return false;
    underWay = attempt(wanted);
    try {
      return await underWay;
    } finally {
      underWay = undefined;
    }
  }

  return {
    ensure,
    ensureSoon: async (topics) => {
      const ended = new AbortController();
      const ensuring = ensure(topics).finally(() => ended.abort());
      await Promise.race([ensuring, clock.sleep(soonMs, ended.signal)]);
    },
    keep: (next) => {
      kept = new Map(next.map((spec) => [spec.topic, spec]));
    },
    close: async () => {
      closing.abort();
      await underWay;
    },
  };
}
