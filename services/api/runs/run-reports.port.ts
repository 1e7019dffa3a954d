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
  /** Price by step: a decimal string, or null if the step has none. */
  steps: readonly (string | null)[];
}

export interface RunHeader {
  runId: string;
  kind: RunKind;
  /** Modes of a test by step; null if all steps are live. */
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
  /** The campaign's settings, merged with the changes for this run only. */
  settings: RunSettings;
  /** `receipts`: the action type is asynchronous, and receipts report delivery after acceptance. */
  chain: readonly { action: string; receipts: boolean; hasVariants?: boolean; unitsPerUser?: number }[];
  /** Variants that divide the users, with weights in hundredths of a percent; null or absent: none. */
  variants?: readonly { name: string; weight: number }[] | null;
  /** Price of a unit of each step at the start of the run; null before the start. */
  prices?: RunPrices | null;
}

/** Consistent snapshot of a run: all fields are as of `asOf`, by the database's clock. */
export interface RunSnapshot extends RunHeader {
  asOf: Date;
  inFlight: number;
  waitingForRetry: number;
  stalled: string | null;
  /** Source of the stall: unreadable audience, waiting step, or the engine's last observation. Null if not stalled. */
  stalledBy: 'audience' | 'step' | 'engine' | null;
  /** Start of the wait that the engine last observed; null if there is none. */
  waitingSince: Date | null;
  /**
   * Waits of parts of the run, oldest first: holds, blocked steps with batches, and causes for which batches are
   * scheduled again. Such a cause is listed while batches wait, if it occurred within the last two minutes and
   * after the shard's breaker last closed.
   */
  waits: readonly RunWaitRow[];
  /** Budgets of the campaign, shared by all of its runs. */
  budgets: readonly BudgetFigures[];
  /** False once individual failures were deleted; the figures by reason stay. */
  failuresKept: boolean;
  /** Time at which receipts of individual users were deleted; their figures stay. Null if they are kept. */
  receiptsDeletedAt: Date | null;
  countries: {
    country: string;
    /** The step with which these users begin; a country has an entry for each. */
    fromStep: number;
    /** Place of the variant in `variants`, from 1; null or absent: none. A country has an entry for each. */
    variant?: number | null;
    /** The segment if the audience consists of one segment; null otherwise. */
    segment: string | null;
    /** Upper bound on users before exclusions; null if unknown. */
    estimate: number | null;
    /** Includes held-out users. */
    fedUsers: number;
    heldOutUsers: number;
    excludedUsers: number;
    /** Dry runs only: users among `fedUsers` that several sources contain. */
    sharedUsers?: number;
    fedBatches: number;
    childBatches: number;
    complete: boolean;
    totals: StepTotals[];
    /** Totals of steps that received receipts. */
    receipts: ReceiptTotals[];
  }[];
}

export interface RunWaitRow {
  step: number;
  country: string;
  /** Description for people, without secrets. */
  cause: string;
  since: Date;
  batches: number;
  /** True if a person must fix the cause before the next call; otherwise calls are retried automatically. */
  held: boolean;
  /** Time of the next probe of a held step or open breaker, or end of quiet hours. Null for other waits. */
  nextTryAt: Date | null;
  blockedBy: BlockedBy | null;
}

/** `no-worker` has precedence over `breaker`: without a worker no probe closes the breaker. */
export type BlockedBy = 'breaker' | 'no-worker' | 'quiet-hours';

/** Progress of a run over time, in ascending order. The distance of points grows with the duration. */
export interface RunPoints {
  startedAt: Date | null;
  endedAt: Date | null;
  /** `ended`: users that had ended a step. */
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
  /** Inclusive. */
  failedFrom?: Date | undefined;
  /** Exclusive. */
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
  /** Kind of run; live runs if undefined. */
  kind?: RunKind | undefined;
  /** Part of the campaign's current name; case-insensitive. */
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
   * Lists runs for comparison: of the same campaign, started, ended, and not retries. Runs scheduled before this one
   * come first, then later ones, each newest first.
   */
  comparable(runId: string, limit: number, within?: CampaignScope): Promise<RunHeader[]>;
  snapshot(runId: string): Promise<RunSnapshot | undefined>;
  /** Returns snapshots of existing runs, unordered, all as of one moment. */
  snapshots(runIds: readonly string[]): Promise<RunSnapshot[]>;
  points(runId: string): Promise<RunPoints | undefined>;
  failureGroups(runId: string): Promise<FailureGroup[]>;
  /**
   * Lists failures in the order of (country, batch, step, user), stable under concurrent writes. The cursor is opaque.
   * @throws {InvalidCursorError} if the cursor was not returned with a page
   */
  failures(runId: string, filter: FailureFilter, limit: number, cursor: string | null): Promise<Page<RecordedFailure>>;
}
