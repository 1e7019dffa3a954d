import { stepMessage } from '../../shared/contracts/messages.ts';
import type { Shard } from '../../shared/domain/shard.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { LaneReceiver, LaneRecord } from '../../shared/ports/message-bus.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { StepQueue } from './step-queue.ts';
import type { OpenRecord, QueuedStep } from './work.ts';

const buryAgainMs = 1000;

export interface ReceiveRecordsDeps {
  queue: StepQueue;
  deadLetters: DeadLetters;
  /** The shards of the topics that this worker consumes. */
  shards: ReadonlyMap<string, Shard>;
  settle: (record: LaneRecord) => void;
  /** There is something to claim. */
  arrived: () => void;
  clock: Clock;
  logger: Logger;
}

export interface ReceiveRecords extends LaneReceiver {
  /** Keeps a record that cannot be served, with its bytes, and then counts it as handled. */
  bury(record: LaneRecord, reason: string): Promise<void>;
  stop(): void;
}

/** W1: records become queued steps; what cannot be understood is buried and never holds up its lane. */
export function createReceiveRecords(deps: ReceiveRecordsDeps): ReceiveRecords {
  const { queue, deadLetters, shards, clock, logger } = deps;
  const stopping = new AbortController();
  const stopped = () => stopping.signal.aborted;

  async function bury(record: LaneRecord, reason: string): Promise<void> {
    const { topic, partition } = record.lane;
    logger.error({ topic, partition, offset: record.offset, reason }, 'record cannot be served, buried');
    while (!stopped()) {
      try {
        await deadLetters.bury(record, reason);
        deps.settle(record);
        return;
      } catch (error) {
        logger.warn({ err: error, topic, partition, offset: record.offset }, 'could not bury a record, trying again');
        await clock.sleep(buryAgainMs, stopping.signal);
      }
    }
  }

  return {
    bury,
    deliver: (_lane, records) => {
      if (stopped()) return;
      for (const record of records) {
        const actionType = shards.get(record.lane.topic)?.actionType;
        const steps = actionType === undefined ? undefined : parseSteps(record, actionType);
        if (steps) queue.add(steps);
        else void bury(record, 'not a reference to steps of batches');
      }
      deps.arrived();
    },
    revoke: (lane) => queue.drop(lane),
    stop: () => stopping.abort(),
  };
}

/** The references of a record, or undefined when it is none. */
function parseSteps(record: LaneRecord, actionType: string): QueuedStep[] | undefined {
  const message = parseMessage(record.value);
  if (!message) return undefined;
  const { feed, step, b, n, x } = message;
  if (n.length !== b.length || (x && x.length !== b.length)) return undefined;
  const origin: OpenRecord = { record, open: b.length };
  return b.map((batchNo, index) => ({
    feed,
    batchNo,
    step,
    actionType,
    origin,
    remaining: n[index] ?? 0,
    lost: x ? (x[index] ?? null) : step === 1 ? [] : null,
  }));
}

function parseMessage(value: Buffer | null) {
  try {
    return stepMessage.parse(JSON.parse(value?.toString('utf8') ?? ''));
  } catch {
    return undefined;
  }
}
