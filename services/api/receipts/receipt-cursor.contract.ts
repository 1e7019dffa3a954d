import { failureCursorOf, failurePlaceOf, type FailurePlace } from '../runs/failures/failure-cursor.contract.ts';

/** Where a page of receipts ended, in the order (country, feed, step, user). Receipts know no batch. */
export type ReceiptPlace = Omit<FailurePlace, 'batchNo'>;

export function receiptCursorOf(place: ReceiptPlace): string {
  return failureCursorOf({ ...place, batchNo: 0 });
}

/** The place behind a cursor, or `undefined` when the text is none. */
export function receiptPlaceOf(cursor: string): ReceiptPlace | undefined {
  return failurePlaceOf(cursor);
}
