import type { StepMessage } from '../../shared/contracts/messages.ts';
import type { TopicNames } from '../../shared/domain/shard.ts';
import type { OutgoingMessage } from '../../shared/ports/message-bus.ts';
import type { StepDone } from '../../shared/ports/step-ledger.ts';
import type { Work } from './work.ts';

/** References per record: few, so that a small campaign spreads over the partitions; more where more are sent at once, since each costs. */
const minRefsPerRecord = 10;
const maxRefsPerRecord = 50;
const recordsPerGroup = 3;
/** Beyond this many lost users, whoever claims the next step reads them: records stay small. */
const maxLostInRecord = 20;

export interface RecordedStep {
  work: Work;
  record: StepDone;
}

/** W6: references to the next step of what was just recorded. Steps without survivors, and last steps, have none. */
export function survivorMessages(topics: TopicNames, recorded: readonly RecordedStep[]): OutgoingMessage[] {
  const groups = Map.groupBy(recorded.filter(goesOn), ({ record }) => `${record.feedId}/${record.step}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { context, claim } = first.work;
    const next = context.chain[claim.step];
    if (!next) return [];
    const topic = topics.shard({ actionType: next.action, country: context.country });
    const size = Math.min(maxRefsPerRecord, Math.max(minRefsPerRecord, Math.ceil(group.length / recordsPerGroup)));
    return Array.from({ length: Math.ceil(group.length / size) }, (_, index) => ({
      topic,
      value: JSON.stringify(messageOf(claim.feedId, claim.step + 1, group.slice(index * size, (index + 1) * size))),
    }));
  });
}

function goesOn({ work, record }: RecordedStep): boolean {
  return record.rest === 'succeeded' && record.restUsers > 0 && record.step < work.context.chain.length;
}

function messageOf(feedId: string, step: number, group: readonly RecordedStep[]): StepMessage {
  return {
    feedId,
    step,
    batchNos: group.map(({ record }) => record.batchNo),
    remaining: group.map(({ record }) => record.restUsers),
    lost: group.map(({ work, record }) => {
      const lost = lostAfter(work, record);
      return lost.length > maxLostInRecord ? null : lost;
    }),
  };
}

/** Lost before, failed now, or gone on as a child batch. */
function lostAfter({ lost }: Work, { failures, children }: StepDone): string[] {
  if (failures.length === 0 && children.length === 0) return [...lost];
  return [...lost, ...failures.map(({ user }) => user), ...children.flatMap(({ users }) => users)];
}
