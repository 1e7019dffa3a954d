import type { Canary } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { CampaignAbout } from '../../../shared/contracts/campaigns/about-campaign.ts';
import type { CampaignOrigin } from '../../../shared/contracts/campaigns/campaign-origins.ts';
import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { RunSettings } from '../../../shared/contracts/runs/runs.ts';
import type { RunKind } from '../../../shared/domain/run/run-kinds.ts';
import type { RunEventKind } from '../../../shared/domain/run/run-events.ts';
import type { CanaryState } from '../../../shared/domain/run/canary.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import type { CampaignState } from '../../../services/api/campaigns/campaign-store.port.ts';
import type { RetryFilter } from '../../../services/api/runs/retries.port.ts';

export interface CampaignRow {
  id: string;
  revision: number;
  state: CampaignState;
  definition: CampaignDefinition;
  about: CampaignAbout;
  origin: CampaignOrigin | null;
  createdAt: Date;
}

export interface JobRow {
  id: string;
  campaignId: string;
  revision: number;
  dueAtMs: number;
  settings: RunRow['settings'];
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
  /** Kind of the run; a run of a campaign by default. */
  kind?: RunKind | undefined;
  /** Run whose failed users this run retries. */
  parentId: string | null;
  retry: RetryRequest | null;
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
  /** Settings that were changed for this run alone. */
  settings: Partial<RunSettings> & { canary?: Canary };
  canary: CanaryState | null;
  /** Number of ended and failed users by step at the last resume. */
  failureBaseline: ReadonlyMap<number, { ended: number; failed: number }>;
  /** False once the single failures are deleted. */
  failuresKept: boolean;
}

/** Failures to retry: of one run, or of the whole family if `of` is null. Lists are filters. */
export interface RetryRequest extends RetryFilter {
  of: string | null;
}

export interface RunEventRow {
  runId: string;
  eventId: string;
  at: Date;
  kind: RunEventKind;
  detail: Readonly<Record<string, unknown>>;
}

/** Progress of a run: number of users that had ended a step. */
export interface RunPointRow {
  runId: string;
  slot: number;
  at: Date;
  ended: number;
}

/** A disruption in the history of a run that has not ended. */
export interface RunTroubleRow {
  runId: string;
  kind: 'breaker' | 'hold' | 'feed';
  step: number;
  country: string;
  cause: string;
  sinceMs: number;
}

/** Number of users that may be fed, as of `atMs`. */
export interface RunPaceRow {
  allowed: number;
  atMs: number;
}

export interface BudgetRow {
  campaignId: string;
  country: string;
  units: number;
  pastUnits: number;
  /** True if another session holds the row, so that claims which need the budget are refused as busy. */
  isLocked?: boolean;
}

/** A requested reservation. `granted` is false if it did not fit. */
export interface ReservationRow {
  feedId: string;
  batchNo: number;
  step: number;
  units: number;
  granted: boolean;
}
