import type { Verdict } from '../domain/run/admission.ts';
import type { StepMode } from '../domain/run/run-kinds.ts';
import type { StepCheck } from '../domain/step/checks.ts';
import type { HoldKind } from '../domain/step/holds.ts';
import type { StepRef } from './step-ledger.ts';

export interface FeedContext {
  feedId: string;
  runId: string;
  campaignId: string;
  country: string;
  chain: readonly { action: string; params: Readonly<Record<string, unknown>>; check?: StepCheck | undefined }[];
  /** Budget units that a user costs in each step; null if the campaign has no budget in this country. */
  unitsPerUser: readonly number[] | null;
  /** Modes of a test send, by step. Null means that users receive every step. */
  stepModes: readonly StepMode[] | null;
}

export interface FeedAdmission {
  feedId: string;
  runId: string;
  verdict: Verdict;
  /** Milliseconds until the run's deadline; negative once the deadline has passed. */
  deadlineInMs: number;
  /** Held steps, in the order of the chain. */
  holds: readonly StepHold[];
}

/** A hold of a step. No call is made in the step until a person has fixed the cause, or quiet hours end. */
export interface StepHold {
  step: number;
  kind: HoldKind;
  cause: string;
  /**
   * True if one batch may be tried, in case a person has fixed the fault. For quiet hours: true if the hold has ended.
   */
  tryDue: boolean;
}

export interface StepAcceptance {
  /** True if a user of the feed succeeded. */
  isAccepted: boolean;
  /** Users over all countries of the run. `refused` counts failures by a refusal of the whole batch. */
  succeeded: number;
  refused: number;
}

export interface FeedContexts {
  /** Returns the contexts of the feeds that exist; unknown ids are omitted. A context never changes. */
  load(feedIds: readonly string[]): Promise<FeedContext[]>;
  /** Reads the admissions anew at every call. The database's clock decides about deadlines. Unknown ids are omitted. */
  admissions(feedIds: readonly string[]): Promise<FeedAdmission[]>;
  /** Reads all totals of the run in this step at every call, so it is meant only for steps that refuse users. */
  acceptanceOf(step: Pick<StepRef, 'feedId' | 'step'>): Promise<StepAcceptance>;
}
