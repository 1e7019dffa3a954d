/** Result of storing the next revision of an object. */
export interface Redefined<Kept> {
  /**
   * False if another change was written first. Without this flag, its author's revision would look like the caller's.
   */
  isWritten: boolean;
  /** Current state. */
  record: Kept;
}
