import type { Priority } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { FeedAudience } from '../../../shared/contracts/runs/feed-audience.ts';

/** A feed that this trigger pages, fenced by its token. */
export interface OwnedFeed {
  feedId: string;
  runId: string;
  country: string;
  audience: FeedAudience;
  /** Users of the audience so far, held-out ones included, and those that were left out of it. */
  fedUsers: number;
  excludedUsers: number;
  /** Of fedUsers, as many as were approved, or may be without it; null: any number. */
  usersAtMost: number | null;
  /** Of fedUsers, those who get nothing. */
  heldOutUsers: number;
  /** No more users than that are served while the run is at its first ones; null: all are. */
  canaryUsers: number | null;
  /** How often in a row its next page was not to be had. */
  stalls: number;
  /** The last user that was fed, held out or excluded, or null before the first. */
  cursor: string | null;
  nextBatchNo: number;
  /** Users per batch, at most: as the run began, whatever its action types say by now. */
  batchUsers: number;
  token: number;
  priority: Priority;
  /** The step that its users begin with. */
  fromStep: number;
  /** Its users were written down when it began: no source is asked for them. */
  hasStoredUsers: boolean;
  /** Of a dry run: its batches are never called. */
  isDry: boolean;
  /** Action type of that step: with the country, the shard that the feed's batches go to. */
  firstAction: string;
  /** Until the run's deadline, by the database's clock, at the time of the claim. */
  deadlineInMs: number;
}

export interface FedBatch {
  batchNo: number;
  users: readonly string[];
}

/** A page of a child run's audience. */
export interface RetriedUsers {
  /** In ascending byte order. */
  users: string[];
  isLast: boolean;
}

/** Users that are in no batch. */
export interface SkippedUsers {
  /** Not of the audience: an exclusion names them. Counted, never listed. */
  excluded: number;
  /** Of the audience, and get nothing. */
  heldOut: number;
  /** They, in order, as they came; absent where there are none. */
  heldOutIds?: readonly string[];
}

export interface FedPages {
  feedId: string;
  token: number;
  /** Batches in ascending order, numbered on from the feed's next number. */
  batches: readonly FedBatch[];
  /**
   * Users that belong to the audience but can never be sent: ids that break the rules, already escaped, and the rule
   * that each breaks.
   */
  invalidUsers: readonly { user: string; rule: string }[];
  /** Who was passed over up to the cursor; none where absent. */
  skipped?: SkippedUsers;
  /**
   * Of a dry feed, which takes no others: these are never called, and all their steps end as they are written. How many
   * users of the audience several sources name.
   */
  sink?: { shared: number } | undefined;
  cursor: string | null;
  /** True with the audience's last page. */
  complete: boolean;
  /** The page behind these is not to be had: the cause of that stays shown. */
  staysStalled: boolean;
}

/** How batches of a feed flow through the steps of its chain, for fairness and back-pressure. */
export interface FeedLoad {
  feedId: string;
  runId: string;
  country: string;
  /** Users of its run that may be fed right now, over all feeds and triggers; null where the run has no pace. */
  paceAllows: number | null;
  /** Users per batch, at most: the same for all feeds of a run. */
  batchUsers: number;
  /** Action types in the order of the chain. */
  chain: readonly string[];
  /** By step of the chain, the action type of its check; null where it has none. */
  checks: readonly (string | null)[];
  priority: Priority;
  complete: boolean;
  /** One of its steps is held until a person has mended something. */
  held: boolean;
  /** Steps in their quiet hours: what waits there keeps nothing before it. */
  quietSteps: readonly number[];
  fedBatches: number;
  /** The step that they enter. */
  fromStep: number;
  /** One for each step of the chain. All counts in batches, children included. */
  steps: readonly FlowCounts[];
}

export interface FlowCounts {
  done: number;
  survived: number;
  born: number;
  waiting: number;
}

/** So many users of a run are to be fed, in whole batches. */
export interface PaceAsked {
  runId: string;
  batches: number;
}

export interface ListedFeeds {
  feedIds: string[];
  /** For the next listing. */
  until: string;
}

/** `never-stalled`: not those whose last page was not to be had. */
export type FeedScope = 'all' | 'never-stalled';

export interface FeedChoice {
  /** The oldest runs unless given. */
  first?: 'newest' | undefined;
  /** None of dry runs. */
  withoutDry?: boolean;
}

export interface FeedStore {
  /**
   * Takes feeds of running runs that no trigger pages, that are not complete, and whose pause after a stall is over:
   * token + 1. Those already owned by `owner` are not returned. Those of dry runs last, before these those that never
   * stalled, then by their run's start.
   */
  claim(owner: string, leaseMs: number, limit: number, scope: FeedScope, choice?: FeedChoice): Promise<OwnedFeed[]>;
  /**
   * Prolongs leases; returns the feeds that are still ours *and* whose run still feeds (running, before its deadline).
   */
  renew(owner: string, leaseMs: number, feeds: readonly { feedId: string; token: number }[]): Promise<string[]>;
  /** Gives leases back at once, for a graceful stop. */
  release(owner: string, feeds: readonly { feedId: string; token: number }[]): Promise<void>;
  /**
   * Batches and cursor in one transaction under the token. False when the token is no longer ours: nothing was written.
   */
  writePages(pages: FedPages): Promise<boolean>;
  /**
   * The next page is not to be had: shows why, and lets no trigger claim the feed before `retryInMs`. No effect under a
   * stale token.
   */
  stall(feedId: string, token: number, cause: string, retryInMs: number): Promise<void>;
  /** Shows why a feed does not move on, or null when it does. No effect under a stale token. */
  show(feedId: string, token: number, cause: string | null): Promise<void>;
  /** The feed goes on behind its cursor on another snapshot of a segment. No effect under a stale token. */
  renewAudience(feedId: string, token: number, audience: FeedAudience): Promise<void>;
  /** Users of a feed that tries failed users again, behind one of them. */
  retriedUsers(feedId: string, after: string | null, limit: number): Promise<RetriedUsers>;
  /**
   * Takes from what the paces of these runs allow, which fills up with time, to at most what is allowed for a second,
   * and at least one batch. Returns how many batches of those asked for may be fed; a run without a pace is left out.
   * Another trigger that asks at the same time gets the rest.
   */
  takePace(asked: readonly PaceAsked[]): Promise<Map<string, number>>;
  /** Loads of those of these feeds whose runs are running, whichever trigger pages them. */
  loads(feedIds: readonly string[]): Promise<FeedLoad[]>;
  /**
   * Feeds of runs that are running, of all or of those that began, or were resumed, since an earlier listing and up to
   * `reachMs` before it: what was not committed then.
   */
  listFeeds(since: string | null, reachMs: number): Promise<ListedFeeds>;
}
