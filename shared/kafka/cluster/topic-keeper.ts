import type { Clock } from '../../ports/clock.ts';
import type { TopicSpec } from '../../ports/message-bus.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { createTopicAdmin } from './topic-admin.ts';

/** Between two attempts to create what is missing; it doubles while they fail. */
const pausesMs = { first: 500, longest: 30_000 };

const soonMs = 5_000;

/** Creates topics that a consumer or publisher needs and does not find, behind its back. */
export interface TopicKeeper {
  /**
   * Creates those of its topics, unless an attempt is under way or the last one has failed a moment ago. Never rejects;
   * true when they are there and can be written.
   */
  ensure(topics: readonly string[]): Promise<boolean>;
  /** As `ensure`, for a start: resolves after 5 s at the latest, while the attempt goes on. */
  ensureSoon(topics: readonly string[]): Promise<void>;
  /** What is kept from now on. */
  keep(specs: readonly TopicSpec[]): void;
  /** Ends an attempt that is under way; none begins after. */
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
