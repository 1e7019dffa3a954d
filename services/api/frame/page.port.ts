export interface Page<Item> {
  items: Item[];
  /** Null on the last page. */
  next: string | null;
}

/** Reports a cursor that is not from a page of the list. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
}
