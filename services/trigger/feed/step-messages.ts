import { referenceMessages } from '../../../shared/contracts/messages/step-references.ts';
import type { FedBatch } from '../ports/feed-store.ts';
import type { LostRef } from '../ports/outbox-sweep.ts';
import type { OutgoingMessage } from '../../../shared/ports/message-bus.ts';

/**
 * Number of batches per message while a feed is young. The number is small, so that a small campaign is spread over all
 * partitions. Later messages contain `refsPerMessage` batches, because fewer messages cost less.
 */
const refsWhileYoung = 10;
const refsPerMessage = 50;
const youngUpToBatchNo = 1000;

/**
 * Returns messages with references to the first step of batches that were just fed. Their lists of lost users are
 * empty, because no user is lost before the first step.
 */
export function fedMessages(
  topic: string,
  { feedId, fromStep }: { feedId: string; fromStep: number },
  batches: readonly FedBatch[],
): OutgoingMessage[] {
  const isYoung = (batches.at(0)?.batchNo ?? 0) <= youngUpToBatchNo;
  const references = batches.map(({ batchNo, users }) => ({ batchNo, remaining: users.length, lost: [] }));
  const values = referenceMessages({ feedId, step: fromStep }, references, isYoung ? refsWhileYoung : refsPerMessage);
  // The messages have no key, so Kafka distributes them over the partitions in turn.
  return values.map((value) => ({ topic, value }));
}

/** Returns messages for references to be published again. Each message holds references of one feed and step. */
export function lostMessages(topicOf: (ref: LostRef) => string, refs: readonly LostRef[]): OutgoingMessage[] {
  const groups = Map.groupBy(refs, ({ feedId, step }) => `${feedId}/${step}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const topic = topicOf(first);
    return referenceMessages(first, group, refsWhileYoung).map((value) => ({ topic, value }));
  });
}
