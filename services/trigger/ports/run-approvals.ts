import { neededNone, type ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import type { UsersByCountry } from '../../../shared/domain/approval/user-bounds.ts';

/** Terms under which a run may begin: its approval, and its bounds on users. */
export interface ClearedRun {
  clearedBy: ClearedBy;
  /** Upper bounds on users by country; null without bounds. */
  usersAtMost: UsersByCountry | null;
}

/** Result for an installation without an approval policy. */
export const notJudged: ClearedRun = { clearedBy: neededNone, usersAtMost: null };

/** A feed that has reached its limit of users while more users follow. */
export interface UsersBeyond {
  runId: string;
  feedId: string;
  country: string;
  /** Users beyond the fed users that the feed needs room for. */
  more: number;
}

/** Decides under the installation's approval policy whether runs may begin and continue. */
export interface RunApprovals {
  /**
   * Decides if a run may begin. If an approval is needed and missing, pauses the run, requests the approval, and
   * returns null.
   */
  clear(runId: string, users: UsersByCountry): Promise<ClearedRun | null>;
  /** Decides if a retry run may begin. The number of its users is known exactly. */
  clearRetry(runId: string): Promise<ClearedRun | null>;
  /**
   * Handles a feed that has reached its limit of users while more users follow. If other feeds of the country have room
   * within their limits, that room is moved to this feed. Otherwise, if the policy permits it, sets new limits. If not,
   * pauses the run and requests an approval. In each case, the feed continues when a trigger claims it again.
   */
  goBeyond(beyond: UsersBeyond): Promise<void>;
}
