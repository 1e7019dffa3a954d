import type { RunSettings } from '../../../shared/contracts/runs/runs.ts';
import type { OwnOutcome, StepTotals } from '../../../shared/domain/step/outcomes.ts';
import type { ReceiptTotals } from '../../../shared/domain/step/receipts.ts';
import type { CanaryState } from '../../../shared/domain/run/canary.ts';
import type { RunKind, StepMode } from '../../../shared/domain/run/run-kinds.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import type { CampaignScope } from '../../../shared/domain/scopes.ts';
import type { BudgetFigures } from './control/budget-store.port.ts';
import type { Page } from '../frame/page.port.ts';

export interface RunPrices {
  currency: string | null;
  /** By step: a decimal, or null where it has none. */
  steps: readonly (string | null)[];
}

export interface RunHeader {
  runId: string;
  kind: RunKind;
  /** Of a test, by step; null: its users get all of them. */
  stepModes: readonly StepMode[] | null;
  /** Whether its first users are all that is fed; null: it has no canary. */
  canary: CanaryState | null;
  /** The run whose failed users this one tries again. */
  parentRunId: string | null;
  campaignId: string;
  campaignName: string;
  revision: number;
  state: RunState;
  stateReason: string | null;
  scheduledFor: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  deadlineAt: Date;
  /** Since when it is in its state. */
  stateSince: Date;
  /** The campaign's, but for what was changed for this run alone. */
  settings: RunSettings;
  /** `receipts`: its action type is asynchronous, and says by receipts what became of what it accepted. */
  chain: readonly { action: string; receipts: boolean; unitsPerUser?: number }[];
  /** What a unit of each step cost when it began; null: it has not. */
  prices?: RunPrices | null;
}

/** One consistent look at a run: everything in it was true at `asOf`, by the database's clock. */
export interface RunSnapshot extends RunHeader {
  asOf: Date;
  inFlight: number;
  waitingForRetry: number;
  stalled: string | null;
  /**
   * What stalls it: its audience cannot be read, a step of it waits, or what the keeper of runs saw last. Null:
   * nothing.
   */
  stalledBy: 'audience' | 'step' | 'engine' | null;
  /** Since when the run waits for what its keeper saw last; null while it waits for nothing in particular. */
  waitingSince: Date | null;
  /**
   * What keeps which part of the run waiting, the oldest first: holds, what keeps a step with batches from being
   * called, and what batches were put back for where any still wait. Of that only what was met in the last two
   * minutes, and not before the shard's breaker closed.
   */
  waits: readonly RunWaitRow[];
  /** The campaign's: all of its runs spend them together. */
  budgets: readonly BudgetFigures[];
  /** False once the single failures are no longer kept; the figures by reason stay. */
  failuresKept: boolean;
  /** When the receipts of single users were deleted; their figures stay. Null: they are kept. */
  receiptsDeletedAt: Date | null;
  countries: {
    country: string;
    /** The step that these users begin with: a country has a line for each. */
    fromStep: number;
    /** The segment that is all of the audience; null where there is more to it. */
    segment: string | null;
    /** At most so many, before exclusions; null where that is unknown. */
    estimate: number | null;
    /** Held-out users included. */
    fedUsers: number;
    heldOutUsers: number;
    excludedUsers: number;
    /** Of a dry run: of fedUsers, those whom several sources name. */
    sharedUsers?: number;
    fedBatches: number;
    childBatches: number;
    complete: boolean;
    totals: StepTotals[];
    /** Steps in which a receipt came. */
    receipts: ReceiptTotals[];
  }[];
}

/** Batches of a step in a country that wait for the same cause. */
export interface RunWaitRow {
  step: number;
  country: string;
  /** In words for people, without secrets. */
  cause: string;
  since: Date;
  batches: number;
  /** No call is made until a person has mended it; otherwise they are tried again by themselves. */
  held: boolean;
  /** When one batch of a held step, or behind an open breaker, is tried, or quiet hours end. Null for all others. */
  nextTryAt: Date | null;
  /** Nothing of the step is called there: its breaker is open, no worker serves its shard, or the hours are quiet. */
  blockedBy: BlockedBy | null;
}

/** `no-worker` where both are true: without one no probe closes the breaker. */
export type BlockedBy = 'breaker' | 'no-worker' | 'quiet-hours';

/** How far a run was when, in the order of time. Farther apart the longer it went on. */
export interface RunPoints {
  startedAt: Date | null;
  endedAt: Date | null;
  /** `ended`: users that had ended a step by then. */
  points: { at: Date; ended: number }[];
}

export interface FailureFilter {
  /** How the user id begins. */
  q?: string | undefined;
  step?: number | undefined;
  country?: string | undefined;
  reason?: string | undefined;
  outcome?: OwnOutcome | undefined;
  batch?: number | undefined;
  /** Inclusive. */
  failedFrom?: Date | undefined;
  /** Exclusive. */
  failedUntil?: Date | undefined;
}

export interface RecordedFailure {
  user: string;
  step: number;
  country: string;
  outcome: OwnOutcome;
  reason: string;
  detail: string | null;
  attempts: number;
  batchNo: number;
  failedAt: Date;
}

export interface FailureGroup {
  step: number;
  country: string;
  outcome: OwnOutcome;
  reason: string;
  users: number;
  sample: string[];
}

export interface RunFilter {
  campaignId?: string | undefined;
  state?: RunState | undefined;
  /** Runs of their campaigns where absent. */
  kind?: RunKind | undefined;
  /** Part of the name of its campaign as it is now, large and small letters alike. */
  text?: string | undefined;
  ended?: boolean | undefined;
  /** Campaigns that the caller may see; undefined: all. */
  within?: CampaignScope | undefined;
}

export interface RunReports {
  /**
   * Newest first; `cursor` is the id of the last one of the page before.
   * @throws {InvalidCursorError} when it is no id
   */
  list(filter: RunFilter, limit: number, cursor: string | null): Promise<Page<RunHeader>>;
  /**
   * With which runs it can be compared: of the same campaign, begun, ended, and none that tried failed users again.
   * First those planned before it, the newest first; then those planned later, the newest first.
   */
  comparable(runId: string, limit: number, within?: CampaignScope): Promise<RunHeader[]>;
  snapshot(runId: string): Promise<RunSnapshot | undefined>;
  /** Of the runs that there are, in no order; all as of one moment. */
  snapshots(runIds: readonly string[]): Promise<RunSnapshot[]>;
  /** Undefined for a run that is not there. */
  points(runId: string): Promise<RunPoints | undefined>;
  failureGroups(runId: string): Promise<FailureGroup[]>;
  /**
   * In the order of (country, batch, step, user); stable while rows are written. The cursor is opaque.
   * @throws {InvalidCursorError} when it is none that a page ended with
   */
  failures(runId: string, filter: FailureFilter, limit: number, cursor: string | null): Promise<Page<RecordedFailure>>;
}
