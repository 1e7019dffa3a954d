import type { StepMessage } from '../../shared/contracts/messages.ts';
import type { FedBatch } from './ports/feed-store.ts';
import type { LostRef } from './ports/outbox-sweep.ts';
import type { OutgoingMessage } from '../../shared/ports/message-bus.ts';

/** Batches per record. Few while a feed is young, so that a small campaign spreads over all partitions; many are cheaper. */
const refsWhileYoung = 10;
const refsPerRecord = 50;
const youngUpToBatchNo = 1000;

/** A batch that lost more users than this has them read by whoever claims it: records stay small. */
const maxLostInRecord = 20;

/** References to the step that batches begin with which were just fed. */
export function fedMessages(
  topic: string,
  { feedId, fromStep }: { feedId: string; fromStep: number },
  batches: readonly FedBatch[],
): OutgoingMessage[] {
  const isYoung = (batches.at(0)?.batchNo ?? 0) <= youngUpToBatchNo;
  return chunksOf(batches, isYoung ? refsWhileYoung : refsPerRecord).map((chunk) =>
    recordOf(topic, {
      feedId,
      step: fromStep,
      batchNos: chunk.map(({ batchNo }) => batchNo),
      remaining: chunk.map(({ users }) => users.length),
      // Nobody can be lost in a first step; in a later one that has to be said.
      ...(fromStep > 1 && { lost: chunk.map(() => []) }),
    }),
  );
}

/** References to be published again: each record holds some of one feed and step. */
export function lostMessages(topicOf: (ref: LostRef) => string, refs: readonly LostRef[]): OutgoingMessage[] {
  const groups = Map.groupBy(refs, ({ feedId, step }) => `${feedId}/${step}`);
  return [...groups.values()].flatMap((group) =>
    chunksOf(group, refsWhileYoung).flatMap((chunk) => {
      const [first] = chunk;
      return first ? [recordOf(topicOf(first), lostMessage(first, chunk))] : [];
    }),
  );
}

function lostMessage({ feedId, step }: LostRef, refs: readonly LostRef[]): StepMessage {
  const message: StepMessage = {
    feedId,
    step,
    batchNos: refs.map(({ batchNo }) => batchNo),
    remaining: refs.map(({ remaining }) => remaining),
  };
  // Before step 1 nobody can be lost.
  if (step > 1) message.lost = refs.map(({ lost }) => (lost.length > maxLostInRecord ? null : lost));
  return message;
}

/** Without a key: records spread over the partitions in turn. */
function recordOf(topic: string, message: StepMessage): OutgoingMessage {
  return { topic, value: JSON.stringify(message) };
}

function chunksOf<Entry>(entries: readonly Entry[], size: number): Entry[][] {
  const count = Math.ceil(entries.length / size);
  return Array.from({ length: count }, (_, index) => entries.slice(index * size, (index + 1) * size));
}
