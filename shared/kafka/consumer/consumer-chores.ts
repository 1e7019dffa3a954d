import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { OffsetReader, PartitionOffsets } from '../cluster/offset-reader.ts';
import type { TopicKeeper } from '../cluster/topic-keeper.ts';
import type { ConsumerHealth } from './consumer-health.ts';
import type { GroupClient } from './group-client.ts';
import type { Lanes } from './lanes.ts';

/** Milliseconds between two checks for missing topics. */
const keepTopicsMs = 1_000;
/** Milliseconds between two comparisons of the lanes with the ends of their partitions. */
export const readIntervalMs = 10_000;

/** Attempts of the last commit of a client, one commit interval apart. */
const lastCommitAttempts = 4;

export interface ConsumerChores {
  begin(): void;
  end(): void;
  /** Commits what has been settled since the last commit. Never rejects: a failed commit is retried. */
  commit(): Promise<void>;
  /** Commits all that is settled by now. Gives up after a few attempts: the messages are then delivered again. */
  commitAll(): Promise<void>;
  offsets(): ReadonlyMap<string, readonly PartitionOffsets[]>;
}

export interface ConsumerChoresDeps {
  client: () => GroupClient | undefined;
  lanes: Lanes;
  health: ConsumerHealth;
  keeper: TopicKeeper;
  offsetReader: OffsetReader;
  commitIntervalMs: number;
  /** Notifies that the consumer will not recover by itself. */
  onBroken: (cause: Error) => void;
  clock: Pick<Clock, 'sleep'>;
  logger: Logger;
}

export function createConsumerChores(deps: ConsumerChoresDeps): ConsumerChores {
  const { client, lanes, health, keeper, offsetReader, commitIntervalMs, onBroken, clock, logger } = deps;
  let timer: NodeJS.Timeout | undefined;
  let committing: Promise<void> | undefined;
  let offsets: ReadonlyMap<string, readonly PartitionOffsets[]> = new Map();

  async function commitNow(): Promise<void> {
    const due = lanes.uncommitted();
    const by = client();
    if (due.length === 0 || !by) return;
    try {
      await by.commit(due);
      lanes.committed(due);
    } catch (error) {
      // The lanes stay uncommitted, so the next turn retries; after a rebalance their messages are delivered again.
      logger.debug({ err: error, lanes: due.length }, 'could not commit offsets, trying again');
    }
  }

  function commit(): Promise<void> {
    return (committing ??= commitNow().finally(() => (committing = undefined)));
  }

  async function keepTopics(): Promise<void> {
    const missing = client()?.missingTopics() ?? [];
    if (missing.length === 0) return;
    try {
      if (await keeper.ensure(missing)) logger.warn({ topics: missing }, 'topics were missing and are there again');
      // Refresh also if another process creates the topics.
      await client()?.refresh();
    } catch (error) {
      logger.debug({ err: error, missing }, 'could not ask for missing topics');
    }
  }

  async function readOffsets(): Promise<void> {
    try {
      offsets = await offsetReader.read([...new Set(lanes.view().map(({ lane }) => lane.topic))]);
      health.observe(lanes.view(), offsets);
    } catch (error) {
      logger.debug({ err: error }, 'could not look at offsets');
    }
  }

  const chores = [
    { everyMs: commitIntervalMs, passedMs: 0, run: commit },
    { everyMs: keepTopicsMs, passedMs: 0, run: keepTopics },
    { everyMs: readIntervalMs, passedMs: 0, run: readOffsets },
  ];

  /** Counts turns of the timer instead of reading a clock, so that a process that was frozen does not catch up. */
  function onTimer(): void {
    health.pass(commitIntervalMs);
    for (const chore of chores) {
      chore.passedMs += commitIntervalMs;
      if (chore.passedMs < chore.everyMs) continue;
      chore.passedMs = 0;
      void chore.run();
    }
    const broken = health.broken();
    if (broken) onBroken(broken);
  }

  return {
    begin: () => void (timer = setInterval(onTimer, commitIntervalMs)),
    end: () => clearInterval(timer),
    commit,
    commitAll: async () => {
      await committing;
      await commit();
      for (let attempt = 2; attempt <= lastCommitAttempts && lanes.uncommitted().length > 0; attempt++) {
        await clock.sleep(commitIntervalMs);
        await commit();
      }
    },
    offsets: () => offsets,
  };
}
