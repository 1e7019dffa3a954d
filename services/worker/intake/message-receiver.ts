import { stepMessage, type StepMessage } from '../../../shared/contracts/messages/messages.ts';
import { readMessage } from '../../../shared/contracts/messages/read-message.ts';
import { digestOfLost } from '../../../shared/domain/step/lost-users.ts';
import type { LaneMessage, LaneReceiver } from '../../../shared/ports/message-bus.ts';
import type { Contradiction } from '../../../shared/ports/step-ledger.ts';
import type { LetterKeeper } from '../../../shared/runtime/installation/letter-keeper.ts';
import type { StepQueue } from './step-queue.ts';
import type { OpenMessage, QueuedStep } from '../step/work.ts';

export interface MessageReceiverDeps {
  queue: StepQueue;
  letters: LetterKeeper;
  shards: { has(topic: string): boolean };
  onSettled: (message: LaneMessage) => void;
  onHandled: (origin: OpenMessage) => void;
  onArrived: () => void;
}

export interface MessageReceiver extends LaneReceiver {
  /**
   * Dead-letters a message whose steps this worker cannot serve, with its bytes. Afterwards, the message counts as
   * handled.
   */
  misplaced(message: LaneMessage, reason: string): void;
  /**
   * Dead-letters a message that contradicts the rows. The worker nevertheless serves the message's steps, according to
   * the rows.
   */
  contradicted(step: QueuedStep, truth: Contradiction['truth']): void;
  stop(): void;
}

/**
 * Stage W1 of the worker (docs/execution-path.md): queues the steps of messages. Unreadable messages are dead-lettered,
 * so that they do not block their partition.
 */
export function createMessageReceiver(deps: MessageReceiverDeps): MessageReceiver {
  const { queue, letters, shards, onSettled, onHandled } = deps;
  let stopped = false;
  /**
   * Messages that were already dead-lettered. A message is dead-lettered once, even if the rows contradict several of
   * its steps.
   */
  const deadLettered = new WeakSet<OpenMessage>();

  function receive(message: LaneMessage): void {
    const read = readReferences(message);
    if (!shards.has(message.lane.topic)) misplaced(message, 'its topic is none of this worker');
    else if (!read.ok) {
      const reason = `not a reference to steps of batches: ${read.reason}`;
      letters.keep(message, 'unreadable', reason, () => onSettled(message));
    } else if (queue.hasRoom(message.lane.topic, read.message.batchNos.length))
      queue.add(stepsOf(message, read.message));
    else onSettled(message);
  }

  function misplaced(message: LaneMessage, reason: string): void {
    letters.keep(message, 'misplaced', reason, () => onSettled(message));
  }

  function contradicted({ origin }: QueuedStep, truth: Contradiction['truth']): void {
    if (!origin || deadLettered.has(origin)) return;
    deadLettered.add(origin);
    // The dead letter counts as one more open step, so that the message is not settled before the dead letter is
    // stored.
    origin.open++;
    const reason = truth ? 'not whom the rows have left in it' : 'no step that the rows know to be due';
    letters.keep(origin.message, 'contradicted', reason, () => onHandled(origin));
  }

  return {
    misplaced,
    contradicted,
    deliver: (_lane, messages) => {
      if (stopped) return;
      for (const message of messages) receive(message);
      deps.onArrived();
    },
    revoke: (lane) => queue.drop(lane),
    // A worker never reports that it is crowded. Brokers then always collect messages for the usual time, and their
    // answers are large enough.
    isCrowded: () => false,
    stop: () => {
      stopped = true;
      letters.stop();
    },
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
  return batchNos.map((batchNo, index) => {
    const lostHere = lost ? (lost[index] ?? null) : step === 1 ? [] : null;
    return {
      feedId,
      batchNo,
      step,
      topic: message.lane.topic,
      origin,
      remaining: remaining[index] ?? 0,
      lost: lostHere,
      lostDigest: lostHere ? digestOfLost(lostHere) : undefined,
    };
  });
}
