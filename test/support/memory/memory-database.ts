import type { ShardRefusal } from '../../../shared/ports/shard-reports.ts';
import type { QuietRule } from '../../../shared/domain/run/quiet-hours.ts';
import type { RegisteredShard } from '../../../shared/ports/registry.ts';
import type { SettableClock } from '../settable-clock.ts';
import type { CapRow, EffectsRow } from './cap-tables.ts';
import { createJobTables, type JobTables } from './job-tables.ts';
import { createScheduleTables, type ScheduleTables } from './schedule-tables.ts';
import type { FeedRow, BatchRow, AudienceRow } from './feed-tables.ts';
import type {
  CampaignRow,
  JobRow,
  LeaseRow,
  RunRow,
  RunEventRow,
  RunPaceRow,
  RunPointRow,
  RunTroubleRow,
  BudgetRow,
  ReservationRow,
} from './run-tables.ts';
import type { ActionTypeRow, GuardRow, DeadLetterRow } from './service-tables.ts';
import type {
  StepRow,
  StepAttemptRow,
  StepBeginRow,
  FailureRow,
  TotalsRow,
  FailureTotalsRow,
  AgendaRow,
  HoldRow,
  StepCauseRow,
  QuarantinedRow,
} from './step-tables.ts';

/**
 * Rows of the stores in memory, table by table as in Postgres. All stores of one test share one database and its clock.
 */
export interface MemoryDatabase {
  readonly clock: SettableClock;
  readonly campaigns: Map<string, CampaignRow>;
  readonly jobs: Map<string, JobRow>;
  readonly leases: Map<string, LeaseRow>;
  readonly runs: Map<string, RunRow>;
  readonly feeds: Map<string, FeedRow>;
  /** Keyed by `batchKey`. */
  readonly batches: Map<string, BatchRow>;
  /** Keyed by `stepKey`. */
  readonly steps: Map<string, StepRow>;
  readonly failures: FailureRow[];
  /** Keyed by `${feed}/${step}`. */
  readonly totals: Map<string, TotalsRow>;
  /** Keyed by `${feed}/${step}/${outcome}/${reason}`. */
  readonly failureTotals: Map<string, FailureTotalsRow>;
  /** Keyed by `stepKey` and the epoch. */
  readonly stepAttempts: Map<string, StepAttemptRow>;
  /** Keyed by `stepKey`. */
  readonly agenda: Map<string, AgendaRow>;
  /**
   * Keyed by `${feed}/${step}`. All fed batches below the mark are done in this step, on the agenda, or without
   * survivors.
   */
  readonly sweepMarks: Map<string, number>;
  /** Keyed by `${feed}/${step}`. */
  readonly holds: Map<string, HoldRow>;
  /** Keyed by `${feed}/${step}/${cause}`. */
  readonly stepCauses: Map<string, StepCauseRow>;
  /** Refusals of shards that no worker serves. */
  readonly shardRefusals: ShardRefusal[];
  readonly quarantined: QuarantinedRow[];
  /** Keyed by `stepKey` and the epoch. */
  readonly stepBegins: Map<string, StepBeginRow>;
  /** Users by feed in ascending order: the audience of a child run. */
  readonly retryUsers: Map<string, readonly string[]>;
  /** Keyed by `${topic}/${partition}/${offset}` and a digest of the bytes. */
  readonly deadLetters: Map<string, DeadLetterRow>;
  /** Keyed by `${actionType}/${country}`. */
  readonly guards: Map<string, GuardRow>;
  /** Time at which each worker with work in a shard was seen, by `${actionType}/${country}`. */
  readonly watchers: Map<string, Map<string, number>>;
  /** Shares by `${actionType}/${unit}`, and then by worker. */
  readonly rateShares: Map<string, Map<string, { demand: number; held: number; untilMs: number }>>;
  /** Revision that increases with every change of action types and shards. */
  readonly registry: { revision: number };
  quietHours: readonly QuietRule[];
  /** Action types by name. */
  readonly actionTypes: Map<string, ActionTypeRow>;
  /** Keyed by `${actionType}/${country}`. */
  readonly shards: Map<string, RegisteredShard>;
  /** Run events, oldest first. */
  readonly runEvents: RunEventRow[];
  /** Paces by run. */
  readonly runPaces: Map<string, RunPaceRow>;
  /** Keyed by `${run}/${slot}`. */
  readonly runPoints: Map<string, RunPointRow>;
  /** Keyed by `${run}/${kind}/${step}/${country}`. */
  readonly runTroubles: Map<string, RunTroubleRow>;
  /** Users and notes on each list, by action type or `allActionTypes`. A missing list is empty. */
  readonly suppressionLists: Map<string, Map<string, string | null>>;
  /** Caps in force. */
  caps: readonly CapRow[];
  /** Effects that caps count, keyed by `stepKey`. */
  readonly effects: Map<string, EffectsRow>;
  readonly audiences: Map<string, AudienceRow>;
  /** Keyed by `${campaign}/${country}`. */
  readonly budgets: Map<string, BudgetRow>;
  /** Keyed by `stepKey`. */
  readonly reservations: Map<string, ReservationRow>;
  /** Tables of scheduled callbacks. `jobs` above are starts of runs. */
  readonly scheduled: JobTables;
  readonly recurring: ScheduleTables;
}

export function createMemoryDatabase(clock: SettableClock): MemoryDatabase {
  return {
    clock,
    campaigns: new Map(),
    jobs: new Map(),
    leases: new Map(),
    runs: new Map(),
    feeds: new Map(),
    batches: new Map(),
    steps: new Map(),
    stepAttempts: new Map(),
    failures: [],
    totals: new Map(),
    failureTotals: new Map(),
    agenda: new Map(),
    sweepMarks: new Map(),
    holds: new Map(),
    stepCauses: new Map(),
    shardRefusals: [],
    quarantined: [],
    stepBegins: new Map(),
    retryUsers: new Map(),
    deadLetters: new Map(),
    guards: new Map(),
    watchers: new Map(),
    rateShares: new Map(),
    registry: { revision: 1 },
    quietHours: [],
    actionTypes: new Map(),
    shards: new Map(),
    runEvents: [],
    runPaces: new Map(),
    runPoints: new Map(),
    runTroubles: new Map(),
    suppressionLists: new Map(),
    caps: [],
    effects: new Map(),
    audiences: new Map(),
    budgets: new Map(),
    reservations: new Map(),
    scheduled: createJobTables(),
    recurring: createScheduleTables(),
  };
}

export function batchKey(feedId: string, batchNo: number): string {
  return `${feedId}/${batchNo}`;
}

export function stepKey(feedId: string, batchNo: number, step: number): string {
  return `${feedId}/${batchNo}/${step}`;
}
