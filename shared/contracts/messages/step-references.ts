import { maxLostInMessage, type StepMessage } from './messages.ts';

/** A batch whose step is to be done. */
export interface StepReference {
  batchNo: number;
  /** Users left to be served in it. */
  remaining: number;
  /** Users that the chain has lost before. */
  lost: readonly string[];
}

/** The texts of messages with these references, all of one step of a feed, so many in each. */
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
    // Before step 1 no user can be lost.
    if (step > 1) message.lost = own.map(({ lost }) => (lost.length > maxLostInMessage ? null : [...lost]));
    return JSON.stringify(message);
  });
}
