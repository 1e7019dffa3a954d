/** What came of giving something a next revision. */
export interface Redefined<Kept> {
  /** False where another change came before: who was second would read the first one's revision as its own. */
  isWritten: boolean;
  /** As it is now. */
  record: Kept;
}
