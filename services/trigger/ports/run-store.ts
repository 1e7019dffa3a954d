import type { CampaignDefinition } from '../../../shared/contracts/campaigns.ts';
import type { StepTotals } from '../../../shared/domain/outcomes.ts';
import type { TerminalRunState } from '../../../shared/domain/run-states.ts';

export interface RunToPrepare {
  runId: string;
  campaignId: string;
  definition: CampaignDefinition;
  /** By the database's clock; negative once it has passed. */
  deadlineInMs: number;
}

export interface NewFeed {
  country: string;
  segment: string;
  snapshot: string;
  estimate: number | null;
}

/** A run's totals as its keeper sees them. */
export interface RunTally {
  runId: string;
  campaignId: string;
  chain: readonly { action: string }[];
  deadlinePassed: boolean;
  feeds: {
    feedId: string;
    country: string;
    fedUsers: number;
    fedBatches: number;
    complete: boolean;
    stalled: string | null;
    totals: StepTotals[];
  }[];
}

/** What is going on in a run's step rows right now. */
export interface RunActivity {
  inFlight: number;
  waiting: number;
  /** Cause of one of the waiting steps, where one was given. */
  waitingCause: string | null;
}

export interface RunStore {
  /**
   * Runs in state `preparing`, but for those that are in hand: the oldest, the newest, the second oldest and so on, so that neither a
   * backlog nor what is stuck keeps anybody out.
   */
  toPrepare(limit: number, inHand: readonly string[]): Promise<RunToPrepare[]>;
  /** Shows why a run cannot be prepared yet. No effect once it has begun. */
  wait(runId: string, cause: string): Promise<void>;
  /** preparing → running, with its feeds. False when another trigger was first. */
  begin(runId: string, feeds: readonly NewFeed[]): Promise<boolean>;
  /** Running runs with their totals, oldest first. */
  tallies(): Promise<RunTally[]>;
  /** Counts the run's step rows by state and keeps the figures with the run, for progress. */
  observe(runId: string): Promise<RunActivity>;
  /** Totals counted anew from the step rows, to check the running sums against before a run ends. */
  recount(runId: string): Promise<{ feedId: string; totals: StepTotals[] }[]>;
  /** Moves the run on if its state allows it. False when it had moved already. */
  finish(runId: string, state: TerminalRunState, reason: string | null): Promise<boolean>;
}
