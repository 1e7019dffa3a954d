import { neededNone, type ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import type { UsersByCountry } from '../../../shared/domain/approval/user-bounds.ts';

/** Terms under which a run may begin. */
export interface ClearedRun {
  clearedBy: ClearedBy;
  /** Null means no bound. */
  usersAtMost: UsersByCountry | null;
}

/** Result for an installation without a policy. */
export const notJudged: ClearedRun = { clearedBy: neededNone, usersAtMost: null };

/** A country in which a feed has more users than its limit. */
export interface UsersBeyond {
  runId: string;
  country: string;
  more: number;
}

/** Decides whether runs may begin and continue under the installation's policy. */
export interface RunApprovals {
  /**
   * Decides if a run may begin. If it needs an approval that is missing, pauses the run, requests the approval, and
   * returns null.
   */
  clear(runId: string, users: UsersByCountry): Promise<ClearedRun | null>;
  /** Decides if a retry run may begin. The exact number of its users is known. */
  clearRetry(runId: string): Promise<ClearedRun | null>;
  /**
   * Handles a feed that has reached its limit of users while users are left. If the policy permits it, sets new limits;
   * otherwise, pauses the run and requests an approval. In both cases, a trigger must claim the feed again to continue.
   */
  goBeyond(beyond: UsersBeyond): Promise<void>;
}
