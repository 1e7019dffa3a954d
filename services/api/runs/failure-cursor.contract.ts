import { z } from 'zod';
import { placeText } from '../../../shared/contracts/stored-texts.ts';

/**
 * Position of the last failure of a page in the order of country, feed, batch, step and user. Callers receive it as an
 * opaque text, so the order can change in future versions.
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
