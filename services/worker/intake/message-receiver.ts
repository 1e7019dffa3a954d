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
  /** By topic. */
  shards: { has(topic: string): boolean };
  /** A message is handled. */
  onSettled: (message: LaneMessage) => void;
  /** A step needs its message no longer. */
  onHandled: (origin: OpenMessage) => void;
  /** There is something to claim. */
  onArrived: () => void;
}

export interface MessageReceiver extends LaneReceiver {
  /** Keeps a message of which no step can be served, with its bytes, and then counts it as handled. */
  misplaced(message: LaneMessage, reason: string): void;
  /** Keeps a message that says what is not so. Its steps are served, by what the rows say. */
  contradicted(step: QueuedStep, truth: Contradiction['truth']): void;
  stop(): void;
}

/** W1: messages become queued steps; what cannot be understood is dead-lettered and never holds up its lane. */
export function createMessageReceiver(deps: MessageReceiverDeps): MessageReceiver {
  const { queue, letters, shards, onSettled, onHandled } = deps;
  let stopped = false;
  /** Each is set aside once, however many of its steps are contradicted. */
  const setAside = new WeakSet<OpenMessage>();

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
    if (!origin || setAside.has(origin)) return;
    setAside.add(origin);
    // Until it is kept, as if it had one step more.
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
    // What is gathered for as long as fetches usually may is large enough.
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
