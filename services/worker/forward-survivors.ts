import type { StepMessage } from '../../shared/contracts/messages.ts';
import type { TopicNames } from '../../shared/domain/shard.ts';
import type { OutgoingMessage } from '../../shared/ports/message-bus.ts';
import type { StepDone, StepResult } from '../../shared/ports/step-ledger.ts';
import type { Work } from './work.ts';

/** References per message: few, so that a small campaign spreads over the partitions; more where more are sent at once, since each costs. */
const minRefsPerMessage = 10;
const maxRefsPerMessage = 50;
const messagesPerGroup = 3;
/** Beyond this many lost users, whoever claims the next step reads them: messages stay small. */
const maxLostInMessage = 20;

export interface RecordedStep {
  work: Work;
  result: StepResult;
}

/** Where the next step of what was recorded is published; null where there is none: no survivors, a last step, or one that waits. */
export function nextTopicOf(topics: TopicNames, { work, result }: RecordedStep): string | null {
  if (result.state !== 'done' || result.rest !== 'succeeded' || result.restUsers === 0) return null;
  const next = work.context.chain[work.claim.step];
  return next ? topics.shard({ actionType: next.action, country: work.context.country }) : null;
}

/** References to the next step of what was just recorded; all of them go to one topic. */
export function survivorMessages(topic: string, recorded: readonly RecordedStep[]): OutgoingMessage[] {
  const survivors = recorded.flatMap(({ work, result }) => (result.state === 'done' ? [{ work, result }] : []));
  const groups = Map.groupBy(survivors, ({ result }) => `${result.feedId}/${result.step}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { feedId, step } = first.result;
    const size = Math.min(maxRefsPerMessage, Math.max(minRefsPerMessage, Math.ceil(group.length / messagesPerGroup)));
    return Array.from({ length: Math.ceil(group.length / size) }, (_, index) => ({
      topic,
      value: JSON.stringify(messageOf(feedId, step + 1, group.slice(index * size, (index + 1) * size))),
    }));
  });
}

interface Survivors {
  work: Work;
  result: StepDone;
}

function messageOf(feedId: string, step: number, group: readonly Survivors[]): StepMessage {
  return {
    feedId,
    step,
    batchNos: group.map(({ result }) => result.batchNo),
    remaining: group.map(({ result }) => result.restUsers),
    lost: group.map(({ work, result }) => {
      const lost = lostAfter(work, result);
      return lost.length > maxLostInMessage ? null : lost;
    }),
  };
}

/** Lost before, failed now, or gone on as a child batch. */
function lostAfter({ lost }: Work, { failures, children }: StepDone): string[] {
  if (failures.length === 0 && children.length === 0) return [...lost];
  return [...lost, ...failures.map(({ user }) => user), ...children.flatMap(({ users }) => users)];
}
