import type { Verdict } from '../domain/run/admission.ts';
import type { StepMode } from '../domain/run/run-kinds.ts';
import type { StepCheck } from '../domain/step/checks.ts';
import type { HoldKind } from '../domain/step/holds.ts';
import type { StepRef } from './step-ledger.ts';

/** What a worker has to know of a feed to serve its steps. */
export interface FeedContext {
  feedId: string;
  runId: string;
  campaignId: string;
  country: string;
  chain: readonly { action: string; params: Readonly<Record<string, unknown>>; check?: StepCheck | undefined }[];
  /** What a user costs in each step; null where the campaign has no budget in this country. */
  unitsPerUser: readonly number[] | null;
  /** Of a test, by step; null: its users get all of them. */
  stepModes: readonly StepMode[] | null;
}

/** Whether work of a feed may start, as of the last look. */
export interface FeedAdmission {
  feedId: string;
  runId: string;
  verdict: Verdict;
  /** Until the run's deadline; negative once it has passed. */
  deadlineInMs: number;
  /** Steps that are held, in the order of the chain. */
  holds: readonly StepHold[];
}

/** No call is made in this step until a person has mended its cause, or quiet hours end. */
export interface StepHold {
  step: number;
  kind: HoldKind;
  cause: string;
  /** One batch may be tried, in case a person has mended the fault. For quiet hours: this hold of them is over. */
  tryDue: boolean;
}

/** What is recorded of a step. */
export interface StepAcceptance {
  /** A user of the feed succeeded. */
  isAccepted: boolean;
  /** Users over all countries of the run: that succeeded, and that failed by a refusal of their whole batch. */
  succeeded: number;
  refused: number;
}

export interface FeedContexts {
  /** Contexts of the feeds that exist; unknown ids are left out. They never change. */
  load(feedIds: readonly string[]): Promise<FeedContext[]>;
  /** Read anew at every call, deadlines judged by the database's clock. Unknown ids are left out. */
  admissions(feedIds: readonly string[]): Promise<FeedAdmission[]>;
  /** Read anew at every call: it reads all totals of the run in this step, and is for steps that refuse users. */
  acceptanceOf(step: Pick<StepRef, 'feedId' | 'step'>): Promise<StepAcceptance>;
}
