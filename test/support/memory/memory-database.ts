import type { CampaignDefinition } from '../../../shared/contracts/campaigns.ts';
import type { RunSettings } from '../../../shared/contracts/runs.ts';
import type { DeadLetterState } from '../../../shared/contracts/dead-letters.ts';
import type { FeedAudience } from '../../../shared/contracts/feed-audience.ts';
import type { StepFlow, StepTotals } from '../../../shared/domain/outcomes.ts';
import type { RunEventKind } from '../../../shared/domain/run-events.ts';
import type { RunState } from '../../../shared/domain/run-states.ts';
import type { Shard } from '../../../shared/domain/shard.ts';
import type { ApiKeyRecord } from '../../../shared/ports/api-keys.ts';
import type { RegisteredActionType, RegisteredShard } from '../../../shared/ports/registry.ts';
import type { AuditRecord } from '../../../services/api/ports/audit-log.ts';
import type { CampaignState } from '../../../services/api/ports/campaign-store.ts';
import type { RetryFilter } from '../../../services/api/ports/retries.ts';
import type { QuarantineState } from '../../../services/api/ports/quarantined-steps.ts';
import type { StoredAnswer } from '../../../services/api/ports/idempotent-requests.ts';
import type { RejectedLine } from '../../../services/api/ports/settlement-requests.ts';
import type { ShardReport } from '../../../services/worker/ports/shard-reports.ts';
import type { SettlementCounts, SettlementMethod } from '../../../shared/ports/settlements.ts';
import type { AttemptNote, ToldUsers, UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { SettableClock } from '../settable-clock.ts';
import { createJobTables, type JobTables } from './job-tables.ts';
import { createScheduleTables, type ScheduleTables } from './schedule-tables.ts';

/** The rows of the in-memory stores, table by table as in Postgres. All stores of one test share one database and its clock. */
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
  /** Keyed by `${feed}/${step}`: below it every fed batch is done in this step, or on the agenda, or has not survived. */
  readonly sweepMarks: Map<string, number>;
  /** Keyed by `${feed}/${step}`. */
  readonly holds: Map<string, HoldRow>;
  /** Keyed by `${feed}/${step}/${cause}`. */
  readonly stepCauses: Map<string, StepCauseRow>;
  readonly settlementRequests: Map<string, SettlementRequestRow>;
  readonly settlements: SettlementRow[];
  readonly quarantined: QuarantinedRow[];
  /** Keyed by `stepKey` and the epoch. */
  readonly stepBegins: Map<string, StepBeginRow>;
  /** Keyed by feed, step and user. */
  readonly receipts: Map<string, ReceiptRow>;
  /** By feed, in ascending order: the audience of a child run. */
  readonly retryUsers: Map<string, readonly string[]>;
  readonly apiKeys: Map<string, ApiKeyRow>;
  /** Keyed by `${apiKey}/${idempotencyKey}`. */
  readonly idempotentRequests: Map<string, IdempotentRequestRow>;
  /** Keyed by `${topic}/${partition}/${offset}` and a digest of the bytes. */
  readonly deadLetters: Map<string, DeadLetterRow>;
  /** Keyed by `${actionType}/${country}`. */
  readonly guards: Map<string, GuardRow>;
  /** By `${actionType}/${country}`: workers with work there, and when each was seen. */
  readonly watchers: Map<string, Map<string, number>>;
  /** By `${actionType}/${unit}`, and then by worker. */
  readonly rateShares: Map<string, Map<string, { demand: number; held: number; untilMs: number }>>;
  /** Moves with every change of the two below. */
  readonly registry: { revision: number };
  /** By name. */
  readonly actionTypes: Map<string, ActionTypeRow>;
  /** Keyed by `${actionType}/${country}`. */
  readonly shards: Map<string, RegisteredShard>;
  /** Keyed by `${worker}/${actionType}/${country}`. */
  readonly shardReports: Map<string, ShardReportRow>;
  /** Oldest first. */
  readonly auditLog: AuditRecord[];
  /** Oldest first. */
  readonly runEvents: RunEventRow[];
  /** By run. */
  readonly runPaces: Map<string, RunPaceRow>;
  readonly audiences: Map<string, AudienceRow>;
  /** Keyed by `${campaign}/${country}`. */
  readonly budgets: Map<string, BudgetRow>;
  /** Keyed by `stepKey`. */
  readonly reservations: Map<string, ReservationRow>;
  /** Scheduled callbacks; `jobs` above are run starts. */
  readonly scheduled: JobTables;
  readonly recurring: ScheduleTables;
}

export interface BudgetRow {
  campaignId: string;
  country: string;
  units: number;
  pastUnits: number;
}

/** Not granted: asked for, and did not fit. */
export interface ReservationRow {
  feedId: string;
  batchNo: number;
  step: number;
  units: number;
  granted: boolean;
}

export interface RunEventRow {
  runId: string;
  eventId: string;
  at: Date;
  kind: RunEventKind;
  detail: Readonly<Record<string, unknown>>;
}

/** Users that may be fed, as of `atMs`. */
export interface RunPaceRow {
  allowed: number;
  atMs: number;
}

export interface ShardReportRow extends ShardReport {
  worker: string;
  reportedAtMs: number;
}

export interface ActionTypeRow extends RegisteredActionType {
  deletedAt: Date | null;
}

export interface CampaignRow {
  id: string;
  revision: number;
  state: CampaignState;
  definition: CampaignDefinition;
  createdAt: Date;
}

export interface JobRow {
  id: string;
  campaignId: string;
  revision: number;
  dueAtMs: number;
}

export interface LeaseRow {
  owner: string | null;
  token: number;
  expiresAtMs: number;
}

export interface RunRow {
  id: string;
  campaignId: string;
  revision: number;
  /** The run whose failed users this one tries again. */
  parentId: string | null;
  retry: RetryWish | null;
  createdAt: Date;
  scheduledFor: Date;
  state: RunState;
  stateReason: string | null;
  deadlineAtMs: number;
  startedAt: Date | null;
  endedAt: Date | null;
  inFlight: number;
  waiting: number;
  waitingCause: string | null;
  waitingSince: Date | null;
  stateSince: Date;
  /** What was changed for this run alone. */
  settings: Partial<RunSettings>;
  /** By step: who had ended when the run was resumed last. */
  judgedFrom: ReadonlyMap<number, { ended: number; failed: number }>;
  /** False once the single failures are no longer kept. */
  failuresKept: boolean;
}

/** Whose failures are tried again: of one run, or, with null, of the whole family; lists are filters. */
export interface RetryWish extends RetryFilter {
  of: string | null;
}

export interface FeedRow {
  feedId: string;
  runId: string;
  country: string;
  audience: FeedAudience;
  fromStep: number;
  cursor: string | null;
  batchUsers: number;
  nextBatchNo: number;
  nextChildNo: number;
  fedUsers: number;
  heldOutUsers: number;
  excludedUsers: number;
  complete: boolean;
  stalled: string | null;
  owner: string | null;
  token: number;
  leaseUntilMs: number;
  /** A stalled feed is given back, and not claimed before. */
  stalledUntilMs: number | null;
  stalls: number;
  /** What a user costs in each step; null where the campaign has no budget in this country. */
  stepUnits: readonly number[] | null;
}

export interface BatchRow {
  feedId: string;
  batchNo: number;
  users: string[];
  parent: number | null;
  fromStep: number;
}

export interface StepRow {
  feedId: string;
  batchNo: number;
  step: number;
  state: 'running' | 'waiting' | 'done';
  /** Null while nobody holds it, and in a row that waits from birth. */
  owner: string | null;
  epoch: number;
  attempts: number;
  open: boolean;
  lapses: number;
  begun: boolean;
  leaseUntilMs: number;
  /** Stays when a waiting row is claimed, and is null in every other running one. */
  nextAttemptAtMs: number | null;
  rest: 'succeeded' | 'expired' | 'cancelled' | null;
  restUsers: number;
  cause: string | null;
}

export interface StepAttemptRow {
  feedId: string;
  batchNo: number;
  step: number;
  epoch: number;
  at: Date;
  reading: AttemptNote['reading'] | 'lost';
  cause: string | null;
  users: readonly ToldUsers[];
}

export interface FailureRow extends Omit<UserFailure, 'outcome'> {
  /** `succeeded`: was unknown and was settled so; the user did not go on. */
  outcome: UserFailure['outcome'] | 'succeeded';
  feedId: string;
  batchNo: number;
  step: number;
  attempts: number;
  failedAt: Date;
}

/** The sum over all slots: the twin knows none. */
export interface TotalsRow extends Required<StepTotals>, StepFlow {}

export interface SettlementRequestRow {
  settlementId: string;
  runId: string;
  method: SettlementMethod;
  apiKey: { keyId: string; name: string } | null;
  step: number | null;
  country: string | null;
  state: 'running' | 'done' | 'failed';
  cause: string | null;
  counts: SettlementCounts;
  rejects: readonly RejectedLine[];
  createdAt: Date;
  endedAt: Date | null;
  owner: string | null;
  leaseUntilMs: number;
  nextAtMs: number;
  cursor: { feedId: string; user: string; step: number } | null;
  tries: number;
}

export interface SettlementRow {
  feedId: string;
  batchNo: number;
  step: number;
  user: string;
  settlementId: string;
  was: { reason: string; detail: string | null };
  outcome: 'succeeded' | 'failed';
  reason: string;
  detail: string | null;
}

export interface QuarantinedRow {
  quarantineId: string;
  feedId: string;
  batchNo: number;
  step: number;
  state: QuarantineState;
  users: number;
  lapses: number;
  worker: string | null;
  since: Date;
  decidedAt: Date | null;
}

export interface StepBeginRow {
  feedId: string;
  batchNo: number;
  step: number;
  epoch: number;
  worker: string | null;
  at: Date;
}

/** What was said last; totals are counted from the rows. */
export interface ReceiptRow {
  feedId: string;
  step: number;
  user: string;
  delivered: boolean;
  code: string | null;
  at: Date;
  receivedAt: Date;
}

export interface FailureTotalsRow {
  feedId: string;
  step: number;
  outcome: UserFailure['outcome'];
  reason: string;
  users: number;
  sample: string[];
}

export interface AgendaRow {
  feedId: string;
  batchNo: number;
  step: number;
  offerAtMs: number;
  offers: number;
}

export interface HoldRow {
  feedId: string;
  step: number;
  cause: string;
  sinceMs: number;
  batches: number;
  nextTryAtMs: number;
}

export interface StepCauseRow {
  feedId: string;
  step: number;
  cause: string;
  sinceMs: number;
  lastAtMs: number;
  batches: number;
}

export interface ApiKeyRow extends ApiKeyRecord {
  digest: string;
}

export interface IdempotentRequestRow {
  bodyDigest: string;
  answer: StoredAnswer | null;
  createdAtMs: number;
  createdId: string;
}

export interface AudienceRow {
  id: string;
  name: string;
  state: 'receiving' | 'ready' | 'failed';
  country: string | null;
  rows: number;
  rejected: number;
  cause: string | null;
  attempt: string;
  createdAt: Date;
  receivedAtMs: number;
  readyAt: Date | null;
  /** By country, as they came; sorted and without repeats once it is ready. */
  users: Map<string, string[]>;
  rejects: { line: number; value: string; rule: string }[];
}

export interface DeadLetterRow {
  letterId: string;
  topic: string;
  partition: number;
  offset: number;
  state: DeadLetterState;
  replays: number;
  createdAt: Date;
  settledAt: Date | null;
  key: Buffer | null;
  value: Buffer | null;
  reason: string;
}

export interface GuardRow {
  shard: Shard;
  state: 'open' | 'closed';
  cause: string;
  openings: number;
  openedAtMs: number;
  retryAtMs: number;
  probeOwner: string | null;
  probeUntilMs: number;
  slowStartAtMs: number | null;
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
    settlementRequests: new Map(),
    settlements: [],
    quarantined: [],
    stepBegins: new Map(),
    receipts: new Map(),
    retryUsers: new Map(),
    apiKeys: new Map(),
    idempotentRequests: new Map(),
    deadLetters: new Map(),
    guards: new Map(),
    watchers: new Map(),
    rateShares: new Map(),
    registry: { revision: 1 },
    actionTypes: new Map(),
    shards: new Map(),
    shardReports: new Map(),
    auditLog: [],
    runEvents: [],
    runPaces: new Map(),
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
