import type { OwnOutcome, StepFlow } from '../../../shared/domain/step/outcomes.ts';
import type { HoldKind } from '../../../shared/domain/step/holds.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';

export interface AgendaEntry {
  batchNo: number;
  step: number;
  /** Rounded seconds from now; negative if the entry is due. */
  inSeconds: number;
  offers: number;
}

export interface FailureTotal {
  step: number;
  outcome: OwnOutcome;
  reason: string;
  users: number;
  sample: string[];
}

export interface StepCause {
  step: number;
  cause: string;
  batches: number;
  /** Age, rounded to seconds. */
  sinceSeconds: number;
}

export interface Hold {
  step: number;
  kind: HoldKind;
  cause: string;
  batches: number;
  sinceSeconds: number;
}

export interface StoredStep {
  state: 'running' | 'waiting' | 'done';
  owner: string | null;
  epoch: number;
  attempts: number;
  open: boolean;
  lapses: number;
  begun: boolean;
}

/**
 * Damage to rows by a bug, or by a person with SQL. In step 1, `totals-drifted` adds 7 succeeded and 2 waiting users,
 * and `settled-drifted` adds 3 users settled as succeeded and 4 as failed. `totals-lost` and `failure-totals-lost`
 * delete the sums. `fed-users-drifted` adds 5 fed users. `agenda-lost` empties the agenda and moves the mark past all
 * batches.
 */
export type Damage =
  'totals-drifted' | 'settled-drifted' | 'totals-lost' | 'failure-totals-lost' | 'fed-users-drifted' | 'agenda-lost';

/** Reads rows that no port returns, in the order of their keys. */
export interface ExecutionRows {
  step(ref: StepRef): Promise<StoredStep | undefined>;
  flow(feedId: string): Promise<(StepFlow & { step: number })[]>;
  agenda(feedId: string): Promise<AgendaEntry[]>;
  failureTotals(feedId: string): Promise<FailureTotal[]>;
  failureAttempts(feedId: string): Promise<{ user: string; attempts: number }[]>;
  causes(feedId: string): Promise<StepCause[]>;
  holds(feedId: string): Promise<Hold[]>;
  damage(feedId: string, damage: Damage): Promise<void>;
  /** Returns the first batch that the sweep still looks at; 1 at first. */
  mark(feedId: string, step: number): Promise<number>;
}
