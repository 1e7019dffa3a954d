import { z } from 'zod';
import { refusals } from '../../../shared/contracts/stated-rules.ts';
import { wordShape } from '../../../shared/contracts/stored-texts.ts';

/** Returns the shape of a page. `next` is an opaque text. As the parameter `cursor`, it requests the next page. */
export function pageShape<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}

export const pageLimit = z.coerce.number().int().min(1).max(1000);

export const partOfName = wordShape(200).optional().describe('Part of the name, case-insensitive');

/** Filter of a list by a property: only items with it, only items without it, or all items if undefined. */
export const yesOrNo = z.enum(['true', 'false']).optional();

/**
 * Converts the filter to a boolean.
 * @returns undefined if the filter permits both values
 */
export function asBoolean(text: 'true' | 'false' | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}

const cursorText = {
  pattern: '^[A-Za-z0-9_-]+$',
  ...refusals({ 'invalid-cursor': '`cursor` is not the `next` of a page of this list' }),
};

export const pageQuery = z.strictObject({
  limit: pageLimit.default(50),
  cursor: z.string().max(4000).optional().describe('`next` of the previous page').meta(cursorText),
});
