/** Sums of the delivery receipts of a step, in users: the latest receipt of each user counts. */
export interface ReceiptTotals {
  step: number;
  delivered: number;
  undelivered: number;
  /** Receipts of users that failed or are unknown; the other counts exclude them. */
  unexpected: number;
}

/** The second line of an asynchronous step: accepted = delivered + undelivered + awaiting. */
export interface ReceiptLine {
  delivered: number;
  undelivered: number;
  unexpected: number;
  /** Negative while there are receipts of users whose acceptance is not recorded yet. */
  awaiting: number;
}

/**
 * Returns the receipt line of a step.
 * @param accepted users that succeeded in the step
 */
export function receiptLine(accepted: number, totals: readonly ReceiptTotals[], step: number): ReceiptLine {
  const ofStep = totals.filter((each) => each.step === step);
  const delivered = ofStep.reduce((sum, each) => sum + each.delivered, 0);
  const undelivered = ofStep.reduce((sum, each) => sum + each.undelivered, 0);
  const unexpected = ofStep.reduce((sum, each) => sum + each.unexpected, 0);
  return { delivered, undelivered, unexpected, awaiting: accepted - delivered - undelivered };
}
