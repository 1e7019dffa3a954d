import type { ShardRefusal } from '../../../shared/ports/shard-reports.ts';
import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
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
  /** It tries users again that failed in its parent run. */
  isRetry: boolean;
  /** It makes no call, so neither topics nor an approval are needed. */
  isDry: boolean;
  /** The installation has a policy of who approves what, and it is for this run. */
  isJudged: boolean;
  /** By the database's clock; negative once it has passed. */
  deadlineInMs: number;
}

export interface NewFeed {
  country: string;
  audience: FeedAudience;
  /** No user is fed before; absent: at once. */
  startsAt?: Date | undefined;
  /** Users that it may have; absent: any number. */
  usersAtMost?: number | undefined;
  /** Those that are served first; absent: there is no canary. */
  canaryUsers?: number | undefined;
}

/** A run's totals as its keeper sees them. */
export interface RunTally {
  runId: string;
  campaignId: string;
  state: 'running' | 'cancelling';
  /** Why it is in this state: for a run that is being cancelled, by whom. */
  stateReason: string | null;
  chain: readonly { action: string }[];
  /** Above which share of failed users it pauses itself; null: never. */
  pauseAtFailed: FailureLimit | null;
  /** Who had ended when it was resumed last: only who came after them is judged. A step without a line had no user. */
  judgedFrom: readonly EndedUsers[];
  /** Its campaign has a budget in some country. */
  hasBudgets: boolean;
  /** While its first users are all that is fed: which share of them may fail for it to go on by itself; null: none. */
  canary: { maxFailedPercent: number | null } | null;
  /** Since the run's deadline, by the database's clock; negative before it. */
  overdueMs: number;
  feeds: FeedTally[];
}

export interface FailureLimit {
  percent: number;
  /** Not judged before so many users have ended a step. */
  minUsers: number;
}

/** Users that have an outcome in a step, and those among them that failed or are unknown. */
export interface EndedUsers {
  step: number;
  ended: number;
  failed: number;
}

/** A run that waits for what was begun before its pause. */
export interface PausingRun {
  runId: string;
  /** Since it was asked to pause, by the database's clock. */
  forMs: number;
  underWay: UnderWay;
}

export interface FeedTally {
  feedId: string;
  country: string;
  /** Held-out users included. */
  fedUsers: number;
  heldOutUsers: number;
  /** Those that are served first, without held-out ones; null where the run has no canary. */
  canaryUsers: number | null;
  fedBatches: number;
  /** The step that its users begin with. */
  fromStep: number;
  complete: boolean;
  stalled: string | null;
  /** Of the steps in which anything was counted. */
  totals: StepTotals[];
  /** One for each step of the chain. */
  flow: FlowCounts[];
}

/** What goes on in a run, for progress. */
export interface RunFigures {
  runId: string;
  inFlight: number;
  waiting: number;
  /** What it waits for, for people. */
  waitingCause: string | null;
}

/** Why batches of a run wait in a step. */
export interface WaitingStep {
  runId: string;
  country: string;
  step: number;
  cause: string;
  /** No call is made in it until a person has mended the cause, or quiet hours end. A fault comes before those. */
  held: boolean;
}

/** Batches of a run in a country that wait because their campaign's budget does not suffice. */
export interface BudgetShortage {
  runId: string;
  country: string;
  /** What of the budget is neither spent nor reserved, in units, or millionths of its currency. */
  left: number;
  batches: number;
  /** The least that one of their users costs. */
  leastUnits: number;
  /** For people: the budget as a whole (`1,000 units`, `5,000.00 EUR`), what is left, what a user costs at least. */
  budgetText: string;
  leftText: string;
  leastText: string;
}

export interface RunEnding {
  state: TerminalRunState;
  reason: string | null;
}

/** Totals counted anew from the rows. */
export interface FeedCount {
  feedId: string;
  totals: StepTotals[];
}

export interface ListedRun {
  runId: string;
  /** When it came into its state: another value when it did so again. */
  since: string;
  feeds: number;
  /** In how many milliseconds the first of what is on its agendas is to be offered; null where they are empty. */
  dueInMs: number | null;
}

export interface ListedRuns {
  /** In the order in which they came into their states. */
  runs: ListedRun[];
  /** For the next listing. */
  until: string;
}

export interface RunStore {
  /** Whether a run has not ended. */
  isAnyOpen(): Promise<boolean>;
  /**
   * Runs in state `preparing`, but for those that are in hand: the oldest, the newest, the second oldest and so on, so
   * that neither a backlog nor what is stuck keeps another run out.
   */
  toPrepare(limit: number, inHand: readonly string[]): Promise<RunToPrepare[]>;
  /** Shows why a run cannot be prepared yet. No effect once it has begun. */
  wait(runId: string, cause: string): Promise<void>;
  /**
   * preparing → running, with its feeds. False when another trigger was first, or what it was cleared by does not hold
   * any more. Where feeds start later than the run, its deadline counts from the last of them.
   * @param batchUsers users per batch of these feeds, at most; `usualBatchUsers` unless given
   */
  begin(runId: string, feeds: readonly NewFeed[], batchUsers?: number, clearedBy?: ClearedBy): Promise<boolean>;
  /**
   * The same for a run that tries failed users again: writes down who they are, those whose newest failure it is, and
   * inserts a feed for each country and step. Returns how many users there are: with none it does not begin. Null when
   * another trigger was first, or what it was cleared by does not hold any more.
   */
  beginRetry(runId: string, cleared?: ClearedRun): Promise<number | null>;
  /**
   * Runs whose work goes on, or is being cancelled, with their totals, oldest first.
   * @param which of these, those of these ids, or `over`: those that are being cancelled, and those past their deadline
   */
  tallies(which: readonly string[] | 'over'): Promise<RunTally[]>;
  /**
   * Such runs without their totals, all or those that came into their state since an earlier listing and up to
   * `reachMs` before it: what was not committed then.
   */
  listRuns(since: string | null, reachMs: number): Promise<ListedRuns>;
  /**
   * Of these runs, the steps that are held, and those that were put back for a cause not long ago: one for each feed
   * and step.
   */
  waitingSteps(runIds: readonly string[]): Promise<WaitingStep[]>;
  /**
   * Why what a run costs cannot be counted in the currency of its campaign's budgets, at the prices that it would begin
   * with. Null: it can.
   */
  unpriced(runId: string): Promise<string | null>;
  /** Of these runs, where batches wait for their campaign's budget. */
  shortages(runIds: readonly string[]): Promise<BudgetShortage[]>;
  /** Why workers do not serve shards that they should, where none serves them; each cause once. */
  refusals(): Promise<ShardRefusal[]>;
  /** Keeps the figures with their runs. No effect on those that have ended. */
  show(shown: readonly RunFigures[]): Promise<void>;
  /**
   * Ends a run whose work is done, in one transaction: refuses every process that could still write to it, counts its
   * rows anew, asks what they make of it, and moves it on. Null when `decide` says so, or the run has moved already.
   */
  end(
    runId: string,
    decide: (tally: RunTally, counted: readonly FeedCount[]) => RunEnding | null,
  ): Promise<RunEnding | null>;
  /** Runs that were asked to pause, with what is still under way. */
  pausing(): Promise<PausingRun[]>;
  /** pausing → paused. False when it has moved meanwhile. */
  settlePause(runId: string): Promise<boolean>;
  /**
   * running → pausing, with a cause that people are shown and that its history keeps. False when it is not running any
   * more.
   */
  pauseFor(runId: string, cause: string): Promise<boolean>;
  /** The same of one whose first users have ended. False when it is not, or a person has let it go on. */
  pauseForCanary(runId: string, cause: string): Promise<boolean>;
  /** Everybody is fed from now on. False when its first users are not what it is at. */
  endCanary(runId: string, said: string): Promise<boolean>;
  /**
   * Moves a run on if its state allows it, and refuses a trigger that could still feed it. False when it had moved
   * already.
   */
  finish(runId: string, state: TerminalRunState, reason: string | null): Promise<boolean>;
}
