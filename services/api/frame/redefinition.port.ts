export interface Redefinition<Kept> {
  /** False if another change was written first. The revision then belongs to that change, not to the caller's. */
  isWritten: boolean;
  record: Kept;
}
