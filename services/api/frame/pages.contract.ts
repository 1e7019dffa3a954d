import { z } from 'zod';
import { refusals } from '../../../shared/contracts/stated-rules.ts';
import { wordShape } from '../../../shared/contracts/stored-texts.ts';

/** A page of a list. `next` is passed as `cursor` to get the page behind it; it is opaque. */
export function pageShape<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}

/** How many items a page holds, at most. */
export const pageLimit = z.coerce.number().int().min(1).max(1000);

/** What lists of what has a name take. */
export const partOfName = wordShape(200).optional().describe('In its name, whatever the case');

/** A filter of a list: those that are so, those that are not, or all. */
export const yesOrNo = z.enum(['true', 'false']).optional();

/** @returns undefined for all */
export function asBoolean(said: 'true' | 'false' | undefined): boolean | undefined {
  return said === undefined ? undefined : said === 'true';
}

/** Metadata of a cursor. */
const cursorText = {
  pattern: '^[A-Za-z0-9_-]+$',
  ...refusals({ 'invalid-cursor': '`cursor` is not `next` of a page of this list' }),
};

/** What every list takes. */
export const pageQuery = z.strictObject({
  limit: pageLimit.default(50),
  cursor: z.string().max(4000).optional().describe('`next` of the page before').meta(cursorText),
});
