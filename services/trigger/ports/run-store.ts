import type { ShardRefusal } from '../../../shared/ports/shard-reports.ts';
import type { CampaignDefinition, Canary } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { FeedAudience } from '../../../shared/contracts/runs/feed-audience.ts';
import type { StepTotals } from '../../../shared/domain/step/outcomes.ts';
import type { TerminalRunState } from '../../../shared/domain/run/run-states.ts';
import type { UnderWay } from '../../../shared/domain/run/under-way.ts';
import type { ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import type { FlowCounts } from './feed-store.ts';
import type { ClearedRun } from './run-approvals.ts';

export interface RunToPrepare {
  runId: string;
  campaignId: string;
  definition: CampaignDefinition;
  /** Canary that was given at the start of the run, or else the canary of its definition; null if there is none. */
  canary: Canary | null;
  /** True if the run retries users that failed in its parent run. */
  isRetry: boolean;
  /** True if the run makes no calls, so that it needs neither topics nor an approval. */
  isDry: boolean;
  /** True if the installation's approval policy applies to the run. */
  isJudged: boolean;
  /** Milliseconds until the run's deadline, by the database's clock; negative after the deadline. */
  deadlineInMs: number;
}

export interface NewFeed {
  country: string;
  /** Place of the variant in the list of the chain’s first step with variants, from 1; absent: no variants. */
  variant?: number | undefined;
  audience: FeedAudience;
  /** Time from which users of this feed may be fed; absent if they may be fed at once. */
  startsAt?: Date | undefined;
  /** Maximum number of users of the feed; absent if there is no limit. */
  usersAtMost?: number | undefined;
  canaryUsers?: number | undefined;
}

export interface RunTally {
  runId: string;
  campaignId: string;
  state: 'running' | 'cancelling';
  /**
   * Reason of the run's state. While the run is being cancelled, it contains the name of the person who cancelled it.
   */
  stateReason: string | null;
  chain: readonly { action: string }[];
  /** Limit of failed users above which the run pauses itself; null without a limit. */
  pauseAtFailed: FailureLimit | null;
  /**
   * Users that had ended when the run was last resumed. Only users that ended later count for `pauseAtFailed`. If a
   * step is missing, no user had ended in it.
   */
  failureBaseline: readonly EndedUsers[];
  /** True if the run's campaign has a budget in at least one country. */
  hasBudgets: boolean;
  /**
   * Canary in progress, with the maximum share of its users that may fail, and whether a person chooses a variant after
   * it; null if no canary is in progress.
   */
  canary: { maxFailedPercent: number | null; isChoice: boolean } | null;
  /** Milliseconds since the run's deadline, by the database's clock; negative before it. */
  overdueMs: number;
  feeds: FeedTally[];
}

export interface FailureLimit {
  percent: number;
  /** Minimum number of users that must have ended in a step before the limit applies. */
  minUsers: number;
}

/** Number of users that have ended in a step, and how many of them are failed or unknown. */
export interface EndedUsers {
  step: number;
  ended: number;
  failed: number;
}

export interface PausingRun {
  runId: string;
  /** Milliseconds since the pause was requested, by the database's clock. */
  forMs: number;
  underWay: UnderWay;
}

export interface FeedTally {
  feedId: string;
  country: string;
  /** Number of fed users, including held-out users. */
  fedUsers: number;
  heldOutUsers: number;
  /** Number of users of the canary, without held-out users; null without a canary. */
  canaryUsers: number | null;
  fedBatches: number;
  fromStep: number;
  complete: boolean;
  stalled: string | null;
  /** Totals by step. A step in which nothing was counted is missing. */
  totals: StepTotals[];
  flow: FlowCounts[];
}

export interface RunFigures {
  runId: string;
  inFlight: number;
  waiting: number;
  /** Reason why the run waits, as text for users; null if it does not wait. */
  waitingCause: string | null;
}

export interface WaitingStep {
  runId: string;
  country: string;
  step: number;
  cause: string;
  /**
   * True if no call is made until a person fixes a fault, or until quiet hours end. If both apply, `cause` is the
   * fault.
   */
  held: boolean;
}

/** Batches of a run in one country that wait because the campaign's budget is too small for them. */
export interface BudgetShortage {
  runId: string;
  country: string;
  /** Part of the budget that is neither spent nor reserved: in units, or in millionths of the budget's currency. */
  left: number;
  batches: number;
  /** Lowest cost of a user in these batches, in the same unit as `left`. */
  leastUnits: number;
  /**
   * Texts for users: the whole budget (`1,000 units`, `5,000.00 EUR`), what is left of it, and the lowest cost of a
   * user.
   */
  budgetText: string;
  leftText: string;
  leastText: string;
}

export interface RunEnding {
  state: TerminalRunState;
  reason: string | null;
}

/** Totals of one feed, counted anew from its rows. */
export interface FeedCount {
  feedId: string;
  totals: StepTotals[];
}

export interface ListedRun {
  runId: string;
  /** Time at which the state of the run last changed. */
  since: string;
  feeds: number;
  /** Milliseconds until the first agenda entry of the run's feeds is due; null if there are no entries. */
  dueInMs: number | null;
}

export interface ListedRuns {
  /** Runs, sorted by the time at which their state last changed. */
  runs: ListedRun[];
  /** Time of this listing, from which the next listing continues. */
  until: string;
}

export interface RunStore {
  isAnyOpen(): Promise<boolean>;
  /**
   * Returns runs in state `preparing` that are not in `inHand`: the oldest, the newest, the second oldest and so on.
   * With this order, neither a backlog nor runs that cannot be prepared block other runs.
   */
  toPrepare(limit: number, inHand: readonly string[]): Promise<RunToPrepare[]>;
  /** Records the reason why a run cannot be prepared yet. Has no effect if the run has begun. */
  wait(runId: string, cause: string): Promise<void>;
  /**
   * Changes the state of a run from `preparing` to `running`, and inserts its feeds. Returns false if another trigger
   * was faster, or if the approval is no longer valid. The deadline is counted from the latest start time of a feed.
   * @param batchUsers maximum number of users per batch of these feeds; default: `usualBatchUsers`
   */
  begin(runId: string, feeds: readonly NewFeed[], batchUsers?: number, clearedBy?: ClearedBy): Promise<boolean>;
  /**
   * Begins a retry run with the users whose latest failure is to be retried, and with one feed for each country and
   * step. Returns the number of users; if there are none, the run does not begin. Returns null if another trigger was
   * faster, or if the approval is not valid.
   */
  beginRetry(runId: string, cleared?: ClearedRun): Promise<number | null>;
  /**
   * Returns runs in the states `running` and `cancelling` with their totals, oldest first.
   * @param which ids of runs, or `over` for runs that are being cancelled or past their deadline
   */
  tallies(which: readonly string[] | 'over'): Promise<RunTally[]>;
  /**
   * Lists running and cancelling runs, without totals: all of them, or those whose state changed after `since` minus
   * `reachMs`. The reach covers transactions that were not committed at the earlier listing.
   */
  listRuns(since: string | null, reachMs: number): Promise<ListedRuns>;
  /** Returns the held steps of these runs, and their steps with recent retries: one entry for each feed and step. */
  waitingSteps(runIds: readonly string[]): Promise<WaitingStep[]>;
  /**
   * Returns the reason why a step of the run has no price in the currency of the run's budgets; null if all steps have
   * one.
   */
  unpriced(runId: string): Promise<string | null>;
  /** Returns the countries in which batches of these runs wait for their campaign's budget. */
  shortages(runIds: readonly string[]): Promise<BudgetShortage[]>;
  /** Returns the reasons for which workers refuse shards that no worker serves. Each reason is returned once. */
  refusals(): Promise<ShardRefusal[]>;
  /** Stores figures of runs for display. Has no effect on runs that have ended. */
  show(figures: readonly RunFigures[]): Promise<void>;
  /**
   * Ends a run whose work is done. In one transaction, fences every process that could still write to the run, counts
   * its rows anew, calls `decide`, and changes the state. Returns null if `decide` returns null, or if the state has
   * changed already.
   */
  end(
    runId: string,
    decide: (tally: RunTally, counted: readonly FeedCount[]) => RunEnding | null,
  ): Promise<RunEnding | null>;
  pausing(): Promise<PausingRun[]>;
  /** Changes the state of a run from `pausing` to `paused`. Returns false if the state has already changed. */
  settlePause(runId: string): Promise<boolean>;
  /**
   * Changes the state of a run from `running` to `pausing`, and records the cause in its history. Returns false if the
   * run is not running.
   */
  pauseFor(runId: string, cause: string): Promise<boolean>;
  /** Pauses a run whose canary has ended. Returns false if the run is not running, or if a person has resumed it. */
  pauseForCanary(runId: string, cause: string): Promise<boolean>;
  /** Ends the canary, so that from now on, all users are fed. Returns false if no canary is in progress. */
  endCanary(runId: string, summary: string): Promise<boolean>;
  /**
   * Ends a run, and fences a trigger that could still feed it. Returns false if the run's state has changed already.
   */
  finish(runId: string, state: TerminalRunState, reason: string | null): Promise<boolean>;
}
