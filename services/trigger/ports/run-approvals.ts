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

/** Users of a country beyond the bound of its feed. */
export interface UsersBeyond {
  runId: string;
  country: string;
  more: number;
}

/** Decides whether runs may begin and continue under the installation's policy. */
export interface RunApprovals {
  /** Judges a run before it begins. If an approval is missing, pauses the run, requests one, and returns null. */
  clear(runId: string, users: UsersByCountry): Promise<ClearedRun | null>;
  /** Judges a retry run, whose users are counted. */
  clearRetry(runId: string): Promise<ClearedRun | null>;
  /**
   * Handles a feed that has reached its bound with users left. Sets new bounds if the policy allows it, else pauses the
   * run and requests an approval. In both cases the feed has to be claimed again to continue.
   */
  goBeyond(beyond: UsersBeyond): Promise<void>;
}
