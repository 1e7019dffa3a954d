import type { CampaignDefinition } from '../../../shared/contracts/campaigns.ts';
import type { StepTotals } from '../../../shared/domain/outcomes.ts';
import type { TerminalRunState } from '../../../shared/domain/run-states.ts';

export interface NewRun {
  campaignId: string;
  revision: number;
  scheduledFor: Date;
}

/** A run was asked for whose campaign does not exist, or has no such revision: asking again will not help. */
export class UnknownRevisionError extends Error {
  override readonly name = 'UnknownRevisionError';
}

export interface RunToPrepare {
  runId: string;
  campaignId: string;
  definition: CampaignDefinition;
  deadlinePassed: boolean;
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
   * Inserts the run in state `preparing`. A repeat (same campaign and time) changes nothing.
   * @throws {UnknownRevisionError} when there is no such campaign or revision
   */
  create(run: NewRun): Promise<{ runId: string; created: boolean }>;
  toPrepare(limit: number): Promise<RunToPrepare[]>;
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
