import { neededNone, type ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import type { UsersByCountry } from '../../../shared/domain/approval/user-bounds.ts';

/** What a run may begin with. */
export interface ClearedRun {
  clearedBy: ClearedBy;
  /** Null: any number. */
  usersAtMost: UsersByCountry | null;
}

/** Of an installation without a policy. */
export const notJudged: ClearedRun = { clearedBy: neededNone, usersAtMost: null };

/** More users of a country than its feed may have. */
export interface UsersBeyond {
  runId: string;
  country: string;
  more: number;
}

/** Whether runs may begin and go on under the installation's policy. */
export interface RunApprovals {
  /**
   * Judges a run that is to begin with so many users. Where it needs an approval that there is not, it is paused and
   * asks for one: null.
   */
  clear(runId: string, users: UsersByCountry): Promise<ClearedRun | null>;
  /** The same for a run of failed users, who are counted. */
  clearRetry(runId: string): Promise<ClearedRun | null>;
  /**
   * A feed has come to its bound, and there are more. Where the policy lets it, the bounds are set anew; else the run
   * is pausing, and asks for an approval. Either way the feed has to be claimed again to go on.
   */
  goBeyond(beyond: UsersBeyond): Promise<void>;
}
