import { maxLostInMessage, type StepMessage } from './messages.ts';

export interface StepReference {
  batchNo: number;
  remaining: number;
  lost: readonly string[];
}

/** Returns the texts of messages with these references, all of one step of a feed, `perMessage` in each. */
export function referenceMessages(
  { feedId, step }: { feedId: string; step: number },
  references: readonly StepReference[],
  perMessage: number,
): string[] {
  return Array.from({ length: Math.ceil(references.length / perMessage) }, (_, index) => {
    const own = references.slice(index * perMessage, (index + 1) * perMessage);
    const message: StepMessage = {
      feedId,
      step,
      batchNos: own.map(({ batchNo }) => batchNo),
      remaining: own.map(({ remaining }) => remaining),
    };
    if (step > 1) message.lost = own.map(({ lost }) => (lost.length > maxLostInMessage ? null : [...lost]));
    return JSON.stringify(message);
  });
}
