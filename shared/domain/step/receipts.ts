/** What delivery receipts of a step add up to, in users: the last one of each user counts. */
export interface ReceiptTotals {
  step: number;
  delivered: number;
  undelivered: number;
  /** Receipts of users that failed, or are unknown: in neither of the others. */
  unexpected: number;
}

/** The second line of an asynchronous step: accepted = delivered + undelivered + awaiting. */
export interface ReceiptLine {
  delivered: number;
  undelivered: number;
  unexpected: number;
  /** Below zero while receipts are here of users whose acceptance is not recorded. */
  awaiting: number;
}

/** @param accepted users that succeeded in the step */
export function receiptLine(accepted: number, totals: readonly ReceiptTotals[], step: number): ReceiptLine {
  const ofStep = totals.filter((each) => each.step === step);
  const delivered = ofStep.reduce((sum, each) => sum + each.delivered, 0);
  const undelivered = ofStep.reduce((sum, each) => sum + each.undelivered, 0);
  const unexpected = ofStep.reduce((sum, each) => sum + each.unexpected, 0);
  return { delivered, undelivered, unexpected, awaiting: accepted - delivered - undelivered };
}
