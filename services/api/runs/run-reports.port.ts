import type { RunSettings } from '../../../shared/contracts/runs/runs.ts';
import type { OwnOutcome, StepTotals } from '../../../shared/domain/step/outcomes.ts';
import type { ReceiptTotals } from '../../../shared/domain/step/receipts.ts';
import type { CanaryState } from '../../../shared/domain/run/canary.ts';
import type { RunKind, StepMode } from '../../../shared/domain/run/run-kinds.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import type { CampaignScope } from '../../../shared/domain/scopes.ts';
import type { BudgetFigures } from './budget-store.port.ts';
import type { Page } from '../frame/page.port.ts';

export interface RunPrices {
  currency: string | null;
  /** Price of a unit in each step, as a decimal string; null for a step without a price. */
  steps: readonly (string | null)[];
}

export interface RunHeader {
  runId: string;
  kind: RunKind;
  /** Mode of each step of a test; null if all steps are live. */
  stepModes: readonly StepMode[] | null;
  /** State of the canary; null if the run has none. */
  canary: CanaryState | null;
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
  stateSince: Date;
  /** Settings of the campaign, merged with the changes for this run only. */
  settings: RunSettings;
  /**
   * Steps of the chain. `receipts` is true if the action type is asynchronous, so that receipts report the delivery
   * after the acceptance.
   */
  chain: readonly { action: string; receipts: boolean; hasVariants?: boolean; unitsPerUser?: number }[];
  /** Variants that divide the users, with weights in hundredths of a percent; null or absent: none. */
  variants?: readonly { name: string; weight: number }[] | null;
  /** Variant that a person chose after the canary, if the canary ends with a choice; null or absent: it does not. */
  variantChoice?: { chosen: string | null } | null;
  /** Price of a unit of each step at the start of the run; null before the start. */
  prices?: RunPrices | null;
}

/** Snapshot of a run. All fields are from the same moment, `asOf`, by the database's clock. */
export interface RunSnapshot extends RunHeader {
  asOf: Date;
  inFlight: number;
  waitingForRetry: number;
  stalled: string | null;
  /**
   * Origin of the stall: an audience that cannot be read, a step that waits, or the engine, as last observed. Null if
   * the run is not stalled.
   */
  stalledBy: 'audience' | 'step' | 'engine' | null;
  /** Start of the wait that was last observed; null if there is none. */
  waitingSince: Date | null;
  /**
   * Waits of parts of the run, oldest first: holds, blocked steps with batches, and causes for which batches are
   * scheduled again. A cause of the last kind is listed while batches wait for it, if it occurred within the last two
   * minutes and after the shard's circuit breaker last closed.
   */
  waits: readonly RunWaitRow[];
  /** Budgets of the campaign, which all its runs share. */
  budgets: readonly BudgetFigures[];
  /** False after individual failures were deleted. The counts by reason stay. */
  failuresKept: boolean;
  /**
   * Time at which receipts of individual users were deleted, while their counts stay; null if the receipts are kept.
   */
  receiptsDeletedAt: Date | null;
  countries: {
    country: string;
    /** Step with which these users begin. A country has an entry for each such step. */
    fromStep: number;
    /** Place of the variant in `variants`, from 1; null or absent: none. A country has an entry for each. */
    variant?: number | null;
    /** True for users outside a canary after which a person chooses the variant. */
    isRemaining?: boolean;
    /** Segment, if the audience consists of one segment; otherwise null. */
    segment: string | null;
    /** Upper bound on the number of users before exclusions; null if unknown. */
    estimate: number | null;
    /** Number of users who were fed, including held-out users. */
    fedUsers: number;
    heldOutUsers: number;
    excludedUsers: number;
    /** Number of users among `fedUsers` whom several sources contain; only for dry runs. */
    sharedUsers?: number;
    fedBatches: number;
    childBatches: number;
    complete: boolean;
    totals: StepTotals[];
    /** Totals of the steps that have received receipts. */
    receipts: ReceiptTotals[];
  }[];
}

export interface RunWaitRow {
  step: number;
  country: string;
  /** Cause of the wait, as a text for people without secrets. */
  cause: string;
  since: Date;
  batches: number;
  /** True if a person must remove the cause before the next call. Otherwise, calls are retried automatically. */
  held: boolean;
  /**
   * Time of the next probe of a held step or an open circuit breaker, or of the end of quiet hours. Null for other
   * waits.
   */
  nextTryAt: Date | null;
  blockedBy: BlockedBy | null;
}

/**
 * Reason why a step is blocked. `no-worker` is more important than `breaker`, because without a worker no probe closes
 * the breaker.
 */
export type BlockedBy = 'breaker' | 'no-worker' | 'quiet-hours';

/** Progress of a run over time, in ascending order. The interval between points grows with the duration of the run. */
export interface RunPoints {
  startedAt: Date | null;
  endedAt: Date | null;
  /** `ended` is the number of users' steps that had ended. */
  points: { at: Date; ended: number }[];
}

export interface FailureFilter {
  /** Prefix of the user id. */
  q?: string | undefined;
  step?: number | undefined;
  country?: string | undefined;
  reason?: string | undefined;
  outcome?: OwnOutcome | undefined;
  batch?: number | undefined;
  /** Earliest time of the failure, inclusive. */
  failedFrom?: Date | undefined;
  /** Latest time of the failure, exclusive. */
  failedUntil?: Date | undefined;
}

export interface RecordedFailure {
  user: string;
  step: number;
  country: string;
  /** Name of the user's variant; null if the run has none. */
  variant: string | null;
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
  /** Kind of the runs; undefined means live runs. */
  kind?: RunKind | undefined;
  /** Part of the current name of the campaign, case-insensitive. */
  text?: string | undefined;
  ended?: boolean | undefined;
  /** Campaigns that the caller may see; undefined means all. */
  within?: CampaignScope | undefined;
}

export interface RunReports {
  /**
   * Lists runs, newest first; `cursor` is the id of the last run of the previous page.
   * @throws {InvalidCursorError} if the cursor is not an id
   */
  list(filter: RunFilter, limit: number, cursor: string | null): Promise<Page<RunHeader>>;
  /**
   * Lists runs with which a run can be compared: runs of the same campaign that were started, have ended and are not
   * retries. First come runs scheduled before this run, then those scheduled after it, each newest first.
   */
  comparable(runId: string, limit: number, within?: CampaignScope): Promise<RunHeader[]>;
  snapshot(runId: string): Promise<RunSnapshot | undefined>;
  /** Returns snapshots of the runs that exist, in any order, all from the same moment. */
  snapshots(runIds: readonly string[]): Promise<RunSnapshot[]>;
  points(runId: string): Promise<RunPoints | undefined>;
  failureGroups(runId: string): Promise<FailureGroup[]>;
  /**
   * Lists failures in the order of country, batch, step and user. The order stays the same during concurrent writes.
   * The cursor is opaque.
   * @throws {InvalidCursorError} if the cursor was not returned with a page
   */
  failures(runId: string, filter: FailureFilter, limit: number, cursor: string | null): Promise<Page<RecordedFailure>>;
}
