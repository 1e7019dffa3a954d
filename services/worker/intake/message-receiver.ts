import { stepMessage, type StepMessage } from '../../../shared/contracts/messages/messages.ts';
import { readMessage } from '../../../shared/contracts/messages/read-message.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { DeadLetter, DeadLetters } from '../../../shared/ports/dead-letters.ts';
import type { LaneMessage, LaneReceiver } from '../../../shared/ports/message-bus.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { StepQueue } from './step-queue.ts';
import type { OpenMessage, QueuedStep } from '../work.ts';

const deadLetterAgainMs = 1000;
/** Dead letters per statement. */
const maxDeadLetters = 100;
/**
 * Steps queued over all lanes, some 150 bytes each. What comes beyond is left to the sweeper: the database knows of it.
 */
const maxQueuedSteps = 200_000;

export interface MessageReceiverDeps {
  queue: StepQueue;
  deadLetters: DeadLetters;
  /** By topic. */
  shards: { has(topic: string): boolean };
  /** A message is handled. */
  onSettled: (message: LaneMessage) => void;
  /** There is something to claim. */
  onArrived: () => void;
  clock: Clock;
  logger: Logger;
}

export interface MessageReceiver extends LaneReceiver {
  /** Keeps a message that cannot be served, with its bytes, and then counts it as handled. */
  deadLetter(message: LaneMessage, reason: string): void;
  stop(): void;
}

/** W1: messages become queued steps; what cannot be understood is dead-lettered and never holds up its lane. */
export function createMessageReceiver(deps: MessageReceiverDeps): MessageReceiver {
  const { queue, deadLetters, shards, onSettled, clock, logger } = deps;
  const stopping = new AbortController();
  const stopped = () => stopping.signal.aborted;
  let unwritten: DeadLetter[] = [];
  let writing = false;

  /** One statement at a time, in groups: a burst of garbage must not queue in front of what others ask of the store. */
  async function writeDeadLetters(): Promise<void> {
    if (writing) return;
    writing = true;
    while (unwritten.length > 0 && !stopped()) {
      const letters = unwritten.slice(0, maxDeadLetters);
      try {
        await deadLetters.add(letters);
        unwritten = unwritten.slice(letters.length);
        for (const { message } of letters) onSettled(message);
      } catch (error) {
        logger.warn({ err: error, letters: letters.length }, 'could not keep dead letters, trying again');
        await clock.sleep(deadLetterAgainMs, stopping.signal);
      }
    }
    writing = false;
  }

  function deadLetter(message: LaneMessage, reason: string): void {
    const { topic, partition } = message.lane;
    logger.error({ topic, partition, offset: message.offset, reason }, 'a message cannot be served, dead-lettered');
    unwritten.push({ message, reason });
    void writeDeadLetters();
  }

  function receive(message: LaneMessage): void {
    const read = readReferences(message);
    if (!shards.has(message.lane.topic)) deadLetter(message, 'its topic is none of this worker');
    else if (!read.ok) deadLetter(message, `not a reference to steps of batches: ${read.reason}`);
    else if (queue.size + read.message.batchNos.length > maxQueuedSteps) onSettled(message);
    else queue.add(stepsOf(message, read.message));
  }

  return {
    deadLetter,
    deliver: (_lane, messages) => {
      if (stopped()) return;
      for (const message of messages) receive(message);
      deps.onArrived();
    },
    revoke: (lane) => queue.drop(lane),
    stop: () => stopping.abort(),
  };
}

function readReferences(message: LaneMessage) {
  const read = readMessage(stepMessage, message.value);
  if (!read.ok) return read;
  const { batchNos, remaining, lost } = read.message;
  const counts = `${batchNos.length} batchNos, ${remaining.length} remaining, ${lost?.length ?? 'no'} lost`;
  const addsUp = remaining.length === batchNos.length && (!lost || lost.length === batchNos.length);
  return addsUp ? read : { ok: false as const, reason: `lists of different lengths: ${counts}` };
}

function stepsOf(message: LaneMessage, { feedId, step, batchNos, remaining, lost }: StepMessage): QueuedStep[] {
  const origin: OpenMessage = { message, open: batchNos.length };
  return batchNos.map((batchNo, index) => ({
    feedId,
    batchNo,
    step,
    topic: message.lane.topic,
    origin,
    remaining: remaining[index] ?? 0,
    lost: lost ? (lost[index] ?? null) : step === 1 ? [] : null,
  }));
}
