/** A part of a list, and where to go on. */
export interface Page<Item> {
  items: Item[];
  /** Null behind the last page. */
  next: string | null;
}

/** A list was asked to go on behind something that none of its pages ended with. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
}
