/** Maximum number of users in a batch, the unit of claim, call and retry, regardless of action types. */
export const maxBatchUsers = 1000;

export const usualBatchUsers = 100;

/** Number of the first child batch. Fed batches count from 1 in ascending user order, so the numbers do not overlap. */
export const firstChildBatchNo = 2 ** 30;

export function isChildBatch(batchNo: number): boolean {
  return batchNo >= firstChildBatchNo;
}

/**
 * Returns the key of a batch call: a pure function of the call, so that every attempt of any worker has the same key.
 * At most 100 visible ASCII characters.
 */
export function requestKey(feedId: string, batchNo: number, step: number): string {
  return `${feedId}-${batchNo}-${step}`;
}

const requestKeyPattern = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-([1-9]\d{0,9})-([1-9]\d?)$/;
const greatestBatchNo = 2 ** 31 - 1;

/** Returns the parts of a request key; undefined if the text is no request key. */
export function batchOfKey(key: string): { feedId: string; batchNo: number; step: number } | undefined {
  const [, feedId, batch, step] = requestKeyPattern.exec(key) ?? [];
  if (feedId === undefined || Number(batch) > greatestBatchNo) return undefined;
  return { feedId, batchNo: Number(batch), step: Number(step) };
}
