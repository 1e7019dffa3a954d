import type { StepMode } from '../domain/run/run-kinds.ts';

/**
 * How unknown outcomes are settled. `hand`: a person names one user. `file`: a list of users, from those who keep the
 * books of the called service. `status`: a worker asks the status endpoint (class C).
 */
export type SettlementMethod = 'hand' | 'file' | 'status';

export type SettledOutcome = 'succeeded' | 'failed';

/** A user whose outcome is known now. */
export interface SettledUser {
  user: string;
  step: number;
  /** Null: in whichever country the user is unknown. */
  country: string | null;
  outcome: SettledOutcome;
  /** Why it failed, or by what it is known to have succeeded. */
  reason: string;
  detail: string | null;
}

/**
 * What became of one line of a settlement.
 * - `settled`: it was unknown, and is no more.
 * - `already`: it was settled before, as the same: nothing changes.
 * - `otherwise`: it was settled before, as something else. That stays.
 * - `not-unknown`: no user of that name is unknown in that step of this run.
 */
export type SettlementVerdict = 'settled' | 'already' | 'otherwise' | 'not-unknown';

export interface SettlementCounts {
  succeeded: number;
  failed: number;
  /** Asked for, and still unknown. */
  leftUnknown: number;
  rejected: number;
}

/** A user whose outcome is unknown. */
export interface UnknownUser {
  feedId: string;
  country: string;
  step: number;
  user: string;
}

/** A settlement by status that this worker goes on with. */
export interface StatusSettlement {
  settlementId: string;
  runId: string;
  step: number | null;
  country: string | null;
  /** Action types of the run's chain, in its order. */
  chain: readonly string[];
  /** Of a test, by step; null: its users got all of them. */
  stepModes: readonly StepMode[] | null;
  /** Since the run ended: what was lost before may still be applied for a while. */
  endedMsAgo: number;
  /** How often in a row its status could not be had. */
  tries: number;
}

/** Users with an unknown outcome, of runs that have ended. */
export interface Settlements {
  /**
   * Moves users from `unknown` to what they are: their rows, the totals and the counts by reason, and a line each in
   * the book of settlements, in one transaction, with the counts of the settlement itself. A user is settled once; a
   * repeat changes nothing. Verdicts in the order of the users. No user is settled in a run that has not ended.
   *
   * @param more what is added to the settlement's counts besides
   */
  settle(
    settlement: { settlementId: string; runId: string },
    users: readonly SettledUser[],
    more?: Partial<Pick<SettlementCounts, 'leftUnknown' | 'rejected'>>,
  ): Promise<SettlementVerdict[]>;

  /** Takes over one settlement by status that no worker works on and that is due; null: there is none. */
  claimByStatus(owner: string, leaseMs: number): Promise<StatusSettlement | null>;
  /** The next users that it has not come to, at most so many; none: it has been through all. */
  unknownUsers(settlement: StatusSettlement, limit: number): Promise<UnknownUser[]>;
  /** The users up to this one have been asked for. False when the settlement is another worker's by now. */
  moveOn(settlementId: string, owner: string, last: UnknownUser): Promise<boolean>;
  /** Given back, to be gone on with after this time. */
  putOff(settlementId: string, owner: string, delayMs: number, cause: string | null): Promise<void>;
  /** Ends it. What it has not settled stays unknown, and may be asked for again. */
  endByStatus(
    settlementId: string,
    owner: string,
    end: { state: 'done' | 'failed'; cause: string | null },
  ): Promise<void>;
}
