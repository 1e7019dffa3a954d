import { referenceMessages } from '../../../shared/contracts/messages/step-references.ts';
import type { FedBatch } from '../ports/feed-store.ts';
import type { LostRef } from '../ports/outbox-sweep.ts';
import type { OutgoingMessage } from '../../../shared/ports/message-bus.ts';

/**
 * Batches per message. Few while a feed is young, so that a small campaign spreads over all partitions; many are
 * cheaper.
 */
const refsWhileYoung = 10;
const refsPerMessage = 50;
const youngUpToBatchNo = 1000;

/** References to the step that batches begin with which were just fed: no user is lost before it. */
export function fedMessages(
  topic: string,
  { feedId, fromStep }: { feedId: string; fromStep: number },
  batches: readonly FedBatch[],
): OutgoingMessage[] {
  const isYoung = (batches.at(0)?.batchNo ?? 0) <= youngUpToBatchNo;
  const references = batches.map(({ batchNo, users }) => ({ batchNo, remaining: users.length, lost: [] }));
  const values = referenceMessages({ feedId, step: fromStep }, references, isYoung ? refsWhileYoung : refsPerMessage);
  // Without a key: messages spread over the partitions in turn.
  return values.map((value) => ({ topic, value }));
}

/** References to be published again: each message holds some of one feed and step. */
export function lostMessages(topicOf: (ref: LostRef) => string, refs: readonly LostRef[]): OutgoingMessage[] {
  const groups = Map.groupBy(refs, ({ feedId, step }) => `${feedId}/${step}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const topic = topicOf(first);
    return referenceMessages(first, group, refsWhileYoung).map((value) => ({ topic, value }));
  });
}
