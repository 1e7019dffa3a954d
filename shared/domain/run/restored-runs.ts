/** Reason of runs that are paused after the database was restored to an earlier moment: their later work is unknown. */
export const restoredReason = 'the database was restored to an earlier moment';

/** State of a run that had not ended at the time of the backup. */
export interface RestoredRun {
  /** False if the run had no feeds at the time of the backup; it may have started since. */
  hasBegun: boolean;
  /** Contract classes of the chain, step by step; null: the action type no longer exists. */
  classes: readonly (string | null)[];
}

/**
 * Returns whether the run can continue without serving a user twice. This requires class A, whose endpoints identify a
 * user by run and step, whatever the batch. Other classes know request keys, or nothing: batches that were split, or
 * called for the first time since the backup, may repeat under another key.
 */
export function canContinue({ hasBegun, classes }: RestoredRun): boolean {
  return hasBegun && classes.every((one) => one === 'A');
}
