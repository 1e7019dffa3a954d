import { fireMessage, type FireMessage } from '../../shared/contracts/messages.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { Lane, LaneReceiver, LaneRecord } from '../../shared/ports/message-bus.ts';
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
  settle: (record: LaneRecord) => void;
  /** There are new runs to prepare. */
  created: () => void;
  clock: Clock;
  logger: Logger;
}

export interface TakeFires extends LaneReceiver, Pick<Loop, 'start' | 'stop'> {}

/** Makes a run of every fire. A record that could not be dealt with stays in the queue and is tried again. */
export function createTakeFires({ runStore, deadLetters, settle, created, clock, logger }: TakeFiresDeps): TakeFires {
  let queue: LaneRecord[] = [];

  async function turn(signal: AbortSignal): Promise<number> {
    while (queue.length > 0 && !signal.aborted) {
      const results = await Promise.allSettled(queue.slice(0, maxAtOnce).map(take));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    }
    return idleMs;
  }

  async function take(record: LaneRecord): Promise<void> {
    const fire = parseFire(record.value);
    if (fire) await createRun(record, fire);
    else await bury(record, 'not a fire');
    settle(record);
    queue = queue.filter((other) => other !== record);
  }

  async function createRun(record: LaneRecord, { fireId, campaign, revision, scheduledFor }: FireMessage) {
    try {
      const { run, created: isNew } = await runStore.create({
        campaign,
        revision,
        scheduledFor: new Date(scheduledFor),
      });
      logger.info({ run, campaign, fireId, isNew }, 'fire taken');
      created();
    } catch (error) {
      if (!(error instanceof UnknownRevisionError)) throw error;
      await bury(record, error.message);
    }
  }

  async function bury(record: LaneRecord, reason: string): Promise<void> {
    const { topic, partition } = record.lane;
    logger.error({ topic, partition, offset: record.offset, reason }, 'fire cannot be understood, buried');
    await deadLetters.bury(record, reason);
  }

  const loop = createLoop({ name: 'take-fires', turn, afterErrorMs, clock, logger });

  return {
    start: () => loop.start(),
    stop: () => loop.stop(),
    deliver: (_lane: Lane, records: readonly LaneRecord[]) => {
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
