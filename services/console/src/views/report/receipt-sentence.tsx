import type { StepLine } from '#client/types.gen.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

/** Receipts of accepted messages. They are separate, because a receipt is not an outcome of the run. */
export function ReceiptSentence({ line: { action, succeeded, receipts } }: { line: StepLine }) {
  if (!receipts) return null;
  const { delivered, undelivered, awaiting, unexpected } = receipts;
  return (
    <p>
      Of the {formatCount(succeeded)} users accepted by {quotedTitleOf(action)}, receipts report{' '}
      <b>{formatCount(delivered)} delivered</b>, {formatCount(undelivered)} undelivered;{' '}
      {formatCount(Math.max(0, awaiting))} have no receipt yet.
      {unexpected > 0 && ` ${formatCount(unexpected)} more receipts belong to users who failed or are unknown.`}
    </p>
  );
}
