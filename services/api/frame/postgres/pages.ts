import { validate } from 'uuid';
import { InvalidCursorError, type Page } from '../page.port.ts';

/**
 * Returns a page from at most `limit + 1` rows. An additional row means that there is a next page.
 * @param cursorOf returns the cursor that continues after an item
 */
export function pageOf<Item>(found: readonly Item[], limit: number, cursorOf: (last: Item) => string): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? cursorOf(last) : null };
}

export function requireIdCursor(cursor: string | null): void {
  if (cursor !== null && !validate(cursor))
    throw new InvalidCursorError(`${JSON.stringify(cursor)} is not an id to continue from`);
}
