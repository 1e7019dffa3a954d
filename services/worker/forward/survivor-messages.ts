import { referenceMessages } from '../../../shared/contracts/messages/step-references.ts';
import type { TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import { hasSurvivors } from '../../../shared/domain/step/survivors.ts';
import type { OutgoingMessage } from '../../../shared/ports/message-bus.ts';
import { lostAfter } from '../step/step-results.ts';
import type { FinishedStep } from '../step/work.ts';

/**
 * Minimum number of references per message. Small messages spread a small campaign over the partitions. If many
 * references are sent at once, messages contain more, because each message has a cost.
 */
const minRefsPerMessage = 10;
const maxRefsPerMessage = 50;
const messagesPerGroup = 3;

/** Returns the topic of the next step. Null if no user survived, if the step was the last one, or if the step waits. */
export function nextTopicOf(topics: TopicNames, { work, result }: FinishedStep): string | null {
  if (result.state !== 'done' || !hasSurvivors(result)) return null;
  const next = work.context.chain[work.claim.step];
  return next ? topics.shard({ actionType: next.action, country: work.context.country }) : null;
}

/** Returns the messages with references to the next steps of recorded results, all for one topic. */
export function survivorMessages(topic: string, recorded: readonly FinishedStep[]): OutgoingMessage[] {
  const survivors = recorded.flatMap(({ work, result }) => (result.state === 'done' ? [{ work, result }] : []));
  const groups = Map.groupBy(survivors, ({ result }) => `${result.feedId}/${result.step}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { feedId, step } = first.result;
    const size = Math.min(maxRefsPerMessage, Math.max(minRefsPerMessage, Math.ceil(group.length / messagesPerGroup)));
    const references = group.map(({ work, result }) => {
      return { batchNo: result.batchNo, remaining: result.restUsers, lost: lostAfter(work, result) };
    });
    return referenceMessages({ feedId, step: step + 1 }, references, size).map((value) => ({ topic, value }));
  });
}
