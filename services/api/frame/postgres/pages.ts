import { validate } from 'uuid';
import { InvalidCursorError, type Page } from '../page.port.ts';

/**
 * A page out of up to `limit + 1` rows: the one too many only tells that there is more.
 * @param cursorOf where the next page goes on: behind this item
 */
export function pageOf<Item>(found: readonly Item[], limit: number, cursorOf: (last: Item) => string): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? cursorOf(last) : null };
}

export function requireIdCursor(cursor: string | null): void {
  if (cursor !== null && !validate(cursor))
    throw new InvalidCursorError(`${JSON.stringify(cursor)} is no id to go on from`);
}
