export interface Page<Item> {
  items: Item[];
  /** Cursor of the next page; null on the last page. */
  next: string | null;
}

/** Error for a cursor that does not come from a page of the list. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
}
