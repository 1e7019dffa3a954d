export interface Redefinition<Kept> {
  /** False if another change was written first, whose revision would otherwise look like the caller's. */
  isWritten: boolean;
  record: Kept;
}
