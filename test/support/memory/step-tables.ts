import type { StepFlow, StepTotals } from '../../../shared/domain/step/outcomes.ts';
import type { HoldKind } from '../../../shared/domain/step/holds.ts';
import type { StepQuarantineState } from '../../../shared/contracts/quarantine/steps.ts';
import type { AttemptNote, ReportedUsers, UserFailure } from '../../../shared/ports/step-ledger.ts';

export interface StepRow {
  feedId: string;
  batchNo: number;
  step: number;
  state: 'running' | 'waiting' | 'done';
  /** Null if no worker holds the row, or if it waits since its creation. */
  owner: string | null;
  epoch: number;
  attempts: number;
  open: boolean;
  lapses: number;
  begun: boolean;
  leaseUntilMs: number;
  /** Kept when a waiting row is claimed, and null in all other running rows. */
  nextAttemptAtMs: number | null;
  rest: 'succeeded' | 'expired' | 'cancelled' | null;
  restUsers: number;
  lostDigest: string | null;
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
  users: readonly ReportedUsers[];
}

export interface StepBeginRow {
  feedId: string;
  batchNo: number;
  step: number;
  epoch: number;
  worker: string | null;
  at: Date;
}

export interface FailureRow extends Omit<UserFailure, 'outcome'> {
  /** `succeeded` if the user was unknown and was settled as succeeded; such a user does not continue. */
  outcome: UserFailure['outcome'] | 'succeeded';
  feedId: string;
  batchNo: number;
  step: number;
  attempts: number;
  failedAt: Date;
}

/** Totals over all slots, because the store in memory has no slots. */
export interface TotalsRow extends Required<StepTotals>, StepFlow {}

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
  kind: HoldKind;
  cause: string;
  sinceMs: number;
  batches: number;
  nextTryAtMs: number;
  /** End of quiet hours; null for a fault. */
  untilMs: number | null;
}

export interface StepCauseRow {
  feedId: string;
  step: number;
  cause: string;
  sinceMs: number;
  lastAtMs: number;
  batches: number;
}

export interface QuarantinedRow {
  quarantineId: string;
  feedId: string;
  batchNo: number;
  step: number;
  state: StepQuarantineState;
  users: number;
  lapses: number;
  worker: string | null;
  since: Date;
  decidedAt: Date | null;
}
