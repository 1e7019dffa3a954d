import { stepMessage } from '../../shared/contracts/messages.ts';
import type { Shard } from '../../shared/domain/shard.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { LaneReceiver, LaneMessage } from '../../shared/ports/message-bus.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { StepQueue } from './step-queue.ts';
import type { OpenMessage, QueuedStep } from './work.ts';

const buryAgainMs = 1000;

export interface ReceiveRecordsDeps {
  queue: StepQueue;
  deadLetters: DeadLetters;
  /** The shards of the topics that this worker consumes. */
  shards: ReadonlyMap<string, Shard>;
  settle: (record: LaneMessage) => void;
  /** There is something to claim. */
  arrived: () => void;
  clock: Clock;
  logger: Logger;
}

export interface MessageReceiver extends LaneReceiver {
  /** Keeps a record that cannot be served, with its bytes, and then counts it as handled. */
  deadLetter(record: LaneMessage, reason: string): Promise<void>;
  stop(): void;
}

/** W1: records become queued steps; what cannot be understood is dead-lettered and never holds up its lane. */
export function createMessageReceiver(deps: ReceiveRecordsDeps): MessageReceiver {
  const { queue, deadLetters, shards, clock, logger } = deps;
  const stopping = new AbortController();
  const stopped = () => stopping.signal.aborted;

  async function deadLetter(record: LaneMessage, reason: string): Promise<void> {
    const { topic, partition } = record.lane;
    logger.error({ topic, partition, offset: record.offset, reason }, 'record cannot be served, dead-lettered');
    while (!stopped()) {
      try {
        await deadLetters.add([{ message: record, reason }]);
        deps.settle(record);
        return;
      } catch (error) {
        logger.warn(
          { err: error, topic, partition, offset: record.offset },
          'could not deadLetter a record, trying again',
        );
        await clock.sleep(buryAgainMs, stopping.signal);
      }
    }
  }

  return {
    deadLetter,
    deliver: (_lane, records) => {
      if (stopped()) return;
      for (const record of records) {
        const actionType = shards.get(record.lane.topic)?.actionType;
        const steps = actionType === undefined ? undefined : parseSteps(record, actionType);
        if (steps) queue.add(steps);
        else void deadLetter(record, 'not a reference to steps of batches');
      }
      deps.arrived();
    },
    revoke: (lane) => queue.drop(lane),
    stop: () => stopping.abort(),
  };
}

/** The references of a record, or undefined when it is none. */
function parseSteps(record: LaneMessage, actionType: string): QueuedStep[] | undefined {
  const message = parseMessage(record.value);
  if (!message) return undefined;
  const { feedId, step, batchNos, remaining, lost } = message;
  if (remaining.length !== batchNos.length || (lost && lost.length !== batchNos.length)) return undefined;
  const origin: OpenMessage = { record, open: batchNos.length };
  return batchNos.map((batchNo, index) => ({
    feedId,
    batchNo,
    step,
    actionType,
    origin,
    remaining: remaining[index] ?? 0,
    lost: lost ? (lost[index] ?? null) : step === 1 ? [] : null,
  }));
}

function parseMessage(value: Buffer | null) {
  try {
    return stepMessage.parse(JSON.parse(value?.toString('utf8') ?? ''));
  } catch {
    return undefined;
  }
}
