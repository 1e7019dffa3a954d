import { failureCursorOf, failurePlaceOf, type FailurePlace } from '../runs/failure-cursor.contract.ts';

/** Position of the last receipt of a page, in the order (country, feed, step, user). Receipts have no batch. */
export type ReceiptPlace = Omit<FailurePlace, 'batchNo'>;

export function receiptCursorOf(place: ReceiptPlace): string {
  return failureCursorOf({ ...place, batchNo: 0 });
}

export function receiptPlaceOf(cursor: string): ReceiptPlace | undefined {
  return failurePlaceOf(cursor);
}
