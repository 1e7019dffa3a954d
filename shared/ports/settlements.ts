import type { StepMode } from '../domain/run/run-kinds.ts';

/**
 * Methods to settle unknown outcomes. `hand`: a person names one user. `file`: a person uploads a list of users from
 * the records of the called service. `status`: a worker queries the status endpoint (class C).
 */
export type SettlementMethod = 'hand' | 'file' | 'status';

export type SettledOutcome = 'succeeded' | 'failed';

export interface SettledUser {
  user: string;
  step: number;
  /** Country of the user; null means every country in which the user's outcome is unknown. */
  country: string | null;
  outcome: SettledOutcome;
  /** Reason for the failure, or evidence of the success. */
  reason: string;
  detail: string | null;
}

/**
 * Result of one line of a settlement.
 * - `settled`: the outcome was unknown and is now known.
 * - `already`: the user was settled before with the same outcome; nothing changes.
 * - `otherwise`: the user was settled before with another outcome, which stays.
 * - `not-unknown`: no user of that name has an unknown outcome in that step of this run.
 */
export type SettlementVerdict = 'settled' | 'already' | 'otherwise' | 'not-unknown';

export interface SettlementCounts {
  succeeded: number;
  failed: number;
  leftUnknown: number;
  rejected: number;
}

export interface UnknownUser {
  feedId: string;
  country: string;
  step: number;
  user: string;
}

export interface StatusSettlement {
  settlementId: string;
  runId: string;
  step: number | null;
  country: string | null;
  /** Action types of the run's chain, in the order of the steps. */
  chain: readonly string[];
  /** Modes of a test send, by step. Null means that users received every step. */
  stepModes: readonly StepMode[] | null;
  /** Milliseconds since the run ended: a call that was lost before may still be applied for a while. */
  endedMsAgo: number;
  /** Number of consecutive status requests that failed. */
  tries: number;
}

/** Users with unknown outcomes, of runs that have ended. */
export interface Settlements {
  /**
   * Settles users whose outcome is unknown, in one transaction. It changes their rows, the totals, the counts by reason
   * and the counts of the settlement, and adds a line for each user to the settlement log. A user is settled once; a
   * repeat changes nothing. Returns verdicts in the order of the users. No user is settled in a run that has not ended.
   *
   * @param more amounts to add to the settlement's counts
   */
  settle(
    settlement: { settlementId: string; runId: string },
    users: readonly SettledUser[],
    more?: Partial<Pick<SettlementCounts, 'leftUnknown' | 'rejected'>>,
  ): Promise<SettlementVerdict[]>;

  /** Claims one settlement by status that is due and that no worker owns; null if there is none. */
  claimByStatus(owner: string, leaseMs: number): Promise<StatusSettlement | null>;
  /** Returns the next unprocessed users of the settlement, at most `limit`; none if all are processed. */
  unknownUsers(settlement: StatusSettlement, limit: number): Promise<UnknownUser[]>;
  /** Records that the users up to `last` are processed. Returns false if another worker owns the settlement by now. */
  moveOn(settlementId: string, owner: string, last: UnknownUser): Promise<boolean>;
  /** Releases the settlement; a worker continues it after `delayMs`. */
  putOff(settlementId: string, owner: string, delayMs: number, cause: string | null): Promise<void>;
  /** Ends the settlement. Users that it has not settled stay unknown, and may be requested again. */
  endByStatus(
    settlementId: string,
    owner: string,
    end: { state: 'done' | 'failed'; cause: string | null },
  ): Promise<void>;
}
