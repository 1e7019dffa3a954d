/** Users per batch, the unit of claim, call and retry: at most, whatever the action types say. */
export const maxBatchUsers = 1000;

/** And where no action type says otherwise. */
export const usualBatchUsers = 100;

/** Fed batches count from 1 in ascending user order; the numbers of child batches start here, apart from them. */
export const firstChildBatchNo = 2 ** 30;

export function isChildBatch(batchNo: number): boolean {
  return batchNo >= firstChildBatchNo;
}

/**
 * The key of a batch call: a pure function of what is called, so that every attempt, by whichever worker, carries the
 * same one. At most 100 visible ASCII characters.
 */
export function requestKey(feedId: string, batchNo: number, step: number): string {
  return `${feedId}-${batchNo}-${step}`;
}

const requestKeyPattern = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-([1-9]\d{0,9})-([1-9]\d?)$/;
const greatestBatchNo = 2 ** 31 - 1;

/** What a request key was made of; undefined where it is none. */
export function batchOfKey(key: string): { feedId: string; batchNo: number; step: number } | undefined {
  const [, feedId, batch, step] = requestKeyPattern.exec(key) ?? [];
  if (feedId === undefined || Number(batch) > greatestBatchNo) return undefined;
  return { feedId, batchNo: Number(batch), step: Number(step) };
}
