import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { RunSettings } from '../../../shared/contracts/runs/runs.ts';
import type { OwnOutcome, StepFlow, StepTotals } from '../../../shared/domain/step/outcomes.ts';
import type { RunKind } from '../../../shared/domain/run/run-kinds.ts';
import type { CanaryState } from '../../../shared/domain/run/canary.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import type { HoldKind } from '../../../shared/domain/step/holds.ts';

/**
 * Rows of the trigger and the workers that the test writes itself, because readers are specified without their writers.
 */
export interface SeededHold {
  step: number;
  kind?: HoldKind;
  cause: string;
  batches: number;
  ageMs: number;
}

export interface RunRows {
  /** Returns the run's id; later calls return greater ones. */
  addRun(run: RunSeed): Promise<string>;
  /** Returns the feed's id. */
  addFeed(runId: string, feed: Partial<FeedSeed> & { country: string }): Promise<string>;
  /** Adds what a worker recorded in this slot to the totals of a feed. */
  addTotals(feedId: string, slot: number, totals: Partial<StepTotals & StepFlow> & { step: number }): Promise<void>;
  /** Adds a hold: a fault unless the kind is given. Quiet hours end in one hour. */
  addHold(feedId: string, hold: SeededHold): Promise<void>;
  /** Writes the row of the trigger for a run whose users wait for an open breaker. */
  addOpenBreaker(runId: string, breaker: { step: number; country: string; cause: string }): Promise<void>;
  /** @param cause.quietMs time since the last batch with this cause */
  addCause(
    feedId: string,
    cause: { step: number; cause: string; batches: number; ageMs: number; quietMs: number },
  ): Promise<void>;
  addFailure(feedId: string, failure: Partial<FailureSeed> & { user: string }): Promise<void>;
}

export interface RunSeed {
  campaignId: string;
  revision: number;
  kind?: RunKind;
  /** Run whose failed users this run retries. */
  parentId?: string;
  scheduledFor: Date;
  state: RunState;
  startedAt?: Date;
  endedAt?: Date;
  stateReason?: string;
  inFlight?: number;
  waiting?: number;
  waitingCause?: string;
  /** Deadline; by default a year after the planned time. */
  deadlineAt?: Date;
  stateSince?: Date;
  settings?: Partial<RunSettings>;
  canary?: CanaryState;
}

export function laterThan({ scheduledFor }: { scheduledFor: Date }): Date {
  return new Date(scheduledFor.getTime() + 365 * 86_400_000);
}

export interface FeedSeed {
  country: string;
  /** Place of the variant in the split; null: none. */
  variant: number | null;
  /** Users of the canary in this feed; null without a canary. */
  canaryUsers: number | null;
  segment: string;
  estimate: number | null;
  fedUsers: number;
  heldOutUsers: number;
  excludedUsers: number;
  fedBatches: number;
  complete: boolean;
  stalled: string | null;
  /** Beginning of the feed, which its id contains; now by default. */
  createdAt?: Date;
}

export interface FailureSeed {
  user: string;
  batchNo: number;
  step: number;
  outcome: OwnOutcome;
  reason: string;
  detail: string | null;
  attempts: number;
}

export const emptyFeed = {
  variant: null,
  canaryUsers: null,
  segment: 'all',
  estimate: null,
  fedUsers: 0,
  heldOutUsers: 0,
  excludedUsers: 0,
  fedBatches: 0,
  complete: false,
  stalled: null,
} as const;

export const emptyTotals = {
  batches: 0,
  succeeded: 0,
  failed: 0,
  expired: 0,
  cancelled: 0,
  unknown: 0,
  suppressed: 0,
} as const;

export const someFailure = {
  batchNo: 1,
  step: 1,
  outcome: 'failed',
  reason: 'out-of-stock',
  detail: null,
  attempts: 1,
} as const;

export function campaignDefinitionOf(changes: Partial<CampaignDefinition> = {}): CampaignDefinition {
  return {
    name: 'Lapsed riders, December',
    countries: ['SG', 'ID'],
    audience: { include: [{ segment: 'lapsed-riders' }] },
    chain: [
      { action: 'award-reward', params: { rewardId: 'ride-5', units: 2 } },
      { action: 'send-message', params: { template: 'congratulations' } },
    ],
    schedule: { type: 'now' },
    deadlineSeconds: 21_600,
    priority: 'normal',
    ...changes,
  };
}

/** Part of the snapshot of an active run in which no call is in flight and nothing was changed or deleted. */
export const untouchedRun = {
  inFlight: 0,
  waitingForRetry: 0,
  stalled: null,
  stalledBy: null,
  waits: [],
  budgets: [],
  failuresKept: true,
  receiptsDeletedAt: null,
  deadlineAt: new Date('2030-01-01T00:00:00Z'),
  stateSince: new Date(0),
  waitingSince: null,
  settings: {
    priority: 'normal',
    paceUsersPerSecond: null,
    pauseAtFailedPercent: null,
    pauseAtFailedMinUsers: 1000,
  },
} as const;
