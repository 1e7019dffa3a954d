import { z } from 'zod';
import { placeText } from '../../../../shared/contracts/stored-texts.ts';

/**
 * Where a page of failures ended: the last row's place in the order (country, feed, batch, step, user). Outside it is
 * an opaque text, so that the order may change without breaking a reader that goes on from one.
 */
const failureCursor = z.tuple([
  placeText,
  z.uuid(),
  z.int().min(0).max(0x7fffffff),
  z.int().min(0).max(0x7fff),
  placeText,
]);

export interface FailurePlace {
  country: string;
  feedId: string;
  batchNo: number;
  step: number;
  user: string;
}

export function failureCursorOf({ country, feedId, batchNo, step, user }: FailurePlace): string {
  return Buffer.from(JSON.stringify([country, feedId, batchNo, step, user])).toString('base64url');
}

/** The place behind a cursor, or `undefined` when the text is none. */
export function failurePlaceOf(cursor: string): FailurePlace | undefined {
  const parsed = failureCursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) return undefined;
  const [country, feedId, batchNo, step, user] = parsed.data;
  return { country, feedId, batchNo, step, user };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
