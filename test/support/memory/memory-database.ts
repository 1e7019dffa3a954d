import type { CampaignDefinition } from '../../../shared/contracts/campaigns.ts';
import type { StepTotals } from '../../../shared/domain/outcomes.ts';
import type { RunState } from '../../../shared/domain/run-states.ts';
import type { ApiKeyRecord } from '../../../shared/ports/api-keys.ts';
import type { CampaignState } from '../../../services/api/ports/campaign-store.ts';
import type { StoredAnswer } from '../../../services/api/ports/idempotent-requests.ts';
import type { UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { SettableClock } from '../settable-clock.ts';

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
  readonly totals: Map<string, StepTotals>;
  readonly apiKeys: Map<string, ApiKeyRow>;
  /** Keyed by `${apiKey}/${idempotencyKey}`. */
  readonly idempotentRequests: Map<string, IdempotentRequestRow>;
  /** Keyed by `${topic}/${partition}/${offset}`. */
  readonly deadLetters: Map<string, DeadLetterRow>;
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
  scheduledFor: Date;
  state: RunState;
  stateReason: string | null;
  deadlineAtMs: number;
  startedAt: Date | null;
  endedAt: Date | null;
  inFlight: number;
  waiting: number;
  waitingCause: string | null;
}

export interface FeedRow {
  feedId: string;
  runId: string;
  country: string;
  segment: string;
  snapshot: string;
  estimate: number | null;
  cursor: string | null;
  nextBatchNo: number;
  nextChildNo: number;
  fedUsers: number;
  complete: boolean;
  stalled: string | null;
  owner: string | null;
  token: number;
  leaseUntilMs: number;
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
  epoch: number;
  attempt: number;
  leaseUntilMs: number;
  nextAttemptAtMs: number;
  rest: 'succeeded' | 'expired' | 'cancelled' | null;
  restUsers: number;
  cause: string | null;
}

export interface FailureRow extends UserFailure {
  feedId: string;
  batchNo: number;
  step: number;
  attempts: number;
  failedAt: Date;
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

export interface DeadLetterRow {
  key: Buffer | null;
  value: Buffer | null;
  reason: string;
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
    failures: [],
    totals: new Map(),
    apiKeys: new Map(),
    idempotentRequests: new Map(),
    deadLetters: new Map(),
  };
}

export function batchKey(feedId: string, batchNo: number): string {
  return `${feedId}/${batchNo}`;
}

export function stepKey(feedId: string, batchNo: number, step: number): string {
  return `${feedId}/${batchNo}/${step}`;
}
