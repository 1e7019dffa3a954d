/** Why a run is paused whose database was brought back to an earlier moment: what it did since is not known here. */
export const restoredReason = 'the database was restored to an earlier moment';

/** What is known of a run that the database knew at that moment, and that had not ended then. */
export interface RestoredRun {
  /** It had feeds. Of one that had not, nothing says what it began with since, if it did. */
  hasBegun: boolean;
  /** Contract classes of its chain, step by step; null: of a type that is no more. */
  classes: readonly (string | null)[];
}

/**
 * Whether it can simply go on, and no user is served twice: its endpoints know each user by run and step, whatever
 * batch they come in. The other classes know request keys, or nothing: what was split, or called for the first time
 * since, may come again under another key.
 */
export function mayGoOn({ hasBegun, classes }: RestoredRun): boolean {
  return hasBegun && classes.every((one) => one === 'A');
}
