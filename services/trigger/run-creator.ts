import { fireMessage, type FireMessage } from '../../shared/contracts/messages.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { Lane, LaneReceiver, LaneMessage } from '../../shared/ports/message-bus.ts';
import { UnknownRevisionError, type RunStore } from './ports/run-store.ts';
import { createLoop, type Loop } from '../../shared/runtime/loop.ts';
import type { Logger } from '../../shared/runtime/logger.ts';

/** Runs created at once: as many statements in flight. */
const maxAtOnce = 8;
const idleMs = 60_000;
const afterErrorMs = 1000;

export interface TakeFiresDeps {
  runStore: RunStore;
  deadLetters: DeadLetters;
  settle: (record: LaneMessage) => void;
  /** There are new runs to prepare. */
  created: () => void;
  clock: Clock;
  logger: Logger;
}

export interface RunCreator extends LaneReceiver, Pick<Loop, 'start' | 'stop'> {}

/** Makes a run of every fire. A record that could not be dealt with stays in the queue and is tried again. */
export function createRunCreator({ runStore, deadLetters, settle, created, clock, logger }: TakeFiresDeps): RunCreator {
  let queue: LaneMessage[] = [];

  async function turn(signal: AbortSignal): Promise<number> {
    while (queue.length > 0 && !signal.aborted) {
      const results = await Promise.allSettled(queue.slice(0, maxAtOnce).map(take));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    }
    return idleMs;
  }

  async function take(record: LaneMessage): Promise<void> {
    const fire = parseFire(record.value);
    if (fire) await createRun(record, fire);
    else await deadLetter(record, 'not a fire');
    settle(record);
    queue = queue.filter((other) => other !== record);
  }

  async function createRun(record: LaneMessage, { fireId, campaignId, revision, scheduledFor }: FireMessage) {
    try {
      const { runId, created: isNew } = await runStore.create({
        campaignId,
        revision,
        scheduledFor: new Date(scheduledFor),
      });
      logger.info({ runId, campaignId, fireId, isNew }, 'fire taken');
      created();
    } catch (error) {
      if (!(error instanceof UnknownRevisionError)) throw error;
      await deadLetter(record, error.message);
    }
  }

  async function deadLetter(record: LaneMessage, reason: string): Promise<void> {
    const { topic, partition } = record.lane;
    logger.error({ topic, partition, offset: record.offset, reason }, 'fire cannot be understood, dead-lettered');
    await deadLetters.add([{ message: record, reason }]);
  }

  const loop = createLoop({ name: 'run-creator', turn, afterErrorMs, clock, logger });

  return {
    start: () => loop.start(),
    stop: () => loop.stop(),
    deliver: (_lane: Lane, records: readonly LaneMessage[]) => {
      queue.push(...records);
      loop.poke();
    },
    revoke: (lane) => {
      queue = queue.filter((record) => record.lane !== lane);
    },
  };
}

function parseFire(value: Buffer | null): FireMessage | null {
  try {
    return fireMessage.parse(JSON.parse(value?.toString('utf8') ?? ''));
  } catch {
    return null;
  }
}
