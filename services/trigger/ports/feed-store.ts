import type { Priority } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { FeedAudience } from '../../../shared/contracts/runs/feed-audience.ts';

/** A feed that this trigger pages, fenced by its token. */
export interface OwnedFeed {
  feedId: string;
  runId: string;
  country: string;
  audience: FeedAudience;
  /** Users of the audience so far, held-out ones included. `excludedUsers` are not part of the audience. */
  fedUsers: number;
  excludedUsers: number;
  /** Upper bound on `fedUsers`, by approval or by the policy; null: no bound. */
  usersAtMost: number | null;
  /** Part of `fedUsers` that is held out. */
  heldOutUsers: number;
  /** Users to serve while the run serves its canary; null: no limit. */
  canaryUsers: number | null;
  /** Stalls in a row. */
  stalls: number;
  /** Last user that was fed, held out or excluded; null before the first. */
  cursor: string | null;
  nextBatchNo: number;
  /** Users per batch, at most, fixed when the run began: later changes of action types do not apply. */
  batchUsers: number;
  token: number;
  priority: Priority;
  /** Step in which its users begin. */
  fromStep: number;
  /** True if its users were stored when it began, so that no source is requested. */
  hasStoredUsers: boolean;
  /** True for a dry run, whose batches are never called. */
  isDry: boolean;
  /** Action type of `fromStep`: together with the country, the shard of the feed's batches. */
  firstAction: string;
  /** Milliseconds until the run's deadline, by the database's clock, at the time of the claim. */
  deadlineInMs: number;
}

export interface FedBatch {
  batchNo: number;
  users: readonly string[];
}

/** Page of a retry run's audience. */
export interface RetriedUsers {
  /** In ascending byte order. */
  users: string[];
  isLast: boolean;
}

/** Users that are in no batch. */
export interface SkippedUsers {
  /** Users that an exclusion contains: not part of the audience, only counted. */
  excluded: number;
  heldOut: number;
  /** Ids of the held-out users, in order; absent if there are none. */
  heldOutIds?: readonly string[];
}

export interface FedPages {
  feedId: string;
  token: number;
  /** Batches in ascending order, numbered from the feed's next number. */
  batches: readonly FedBatch[];
  /** Users of the audience with invalid ids, which can never be sent: the escaped id, and the rule that it breaks. */
  invalidUsers: readonly { user: string; rule: string }[];
  /** Users that were skipped up to the cursor; absent: none. */
  skipped?: SkippedUsers;
  /**
   * Required for a dry feed: its batches are never called, and writing them ends all their steps. `shared` counts users
   * of the audience that several sources contain.
   */
  sink?: { shared: number } | undefined;
  cursor: string | null;
  /** True for the audience's last page. */
  complete: boolean;
  /** True if the next page is not available: the displayed cause stays. */
  staysStalled: boolean;
}

/** Flow of a feed's batches through the steps of its chain, for fairness and back-pressure. */
export interface FeedLoad {
  feedId: string;
  runId: string;
  country: string;
  /** Users of its run that may be fed now, over all feeds and triggers; null if the run has no pace. */
  paceAllows: number | null;
  /** Users per batch, at most; the same for all feeds of a run. */
  batchUsers: number;
  /** Action types in the order of the chain. */
  chain: readonly string[];
  /** Action types of the checks, in the order of the chain; null for a step without a check. */
  checks: readonly (string | null)[];
  priority: Priority;
  complete: boolean;
  /** True if one of its steps is held until a person fixes a fault. */
  held: boolean;
  /** Steps in quiet hours. Batches that wait there do not limit feeding. */
  quietSteps: readonly number[];
  fedBatches: number;
  fromStep: number;
  /** One for each step of the chain. All counts are batches, children included. */
  steps: readonly FlowCounts[];
}

export interface FlowCounts {
  done: number;
  survived: number;
  born: number;
  waiting: number;
}

/** Request to feed whole batches of a run. */
export interface PaceRequest {
  runId: string;
  batches: number;
}

export interface ListedFeeds {
  feedIds: string[];
  /** Start of the next listing. */
  until: string;
}

/** `never-stalled` excludes feeds whose last page was not available. */
export type FeedScope = 'all' | 'never-stalled';

export interface FeedChoice {
  /** Order by the start of their runs; oldest first by default. */
  first?: 'newest' | undefined;
  withoutDry?: boolean;
}

export interface FeedStore {
  /**
   * Claims incomplete feeds of running runs without an owner and without a pause. Increments their tokens. Feeds
   * already owned by `owner` are not returned. Dry feeds come last, stalled ones before them; then by the start of the
   * run.
   */
  claim(owner: string, leaseMs: number, limit: number, scope: FeedScope, choice?: FeedChoice): Promise<OwnedFeed[]>;
  /** Renews leases. Returns the feeds that are still owned and whose runs still feed (running, before the deadline). */
  renew(owner: string, leaseMs: number, feeds: readonly { feedId: string; token: number }[]): Promise<string[]>;
  /** Releases leases at once, for a graceful stop. */
  release(owner: string, feeds: readonly { feedId: string; token: number }[]): Promise<void>;
  /** Writes batches and cursor in one transaction. Returns false, without writing, if the token is stale. */
  writePages(pages: FedPages): Promise<boolean>;
  /** Shows the cause of a stall, and prevents claims for `retryInMs`. No effect under a stale token. */
  stall(feedId: string, token: number, cause: string, retryInMs: number): Promise<void>;
  /** Shows why a feed does not progress; null clears the cause. No effect under a stale token. */
  show(feedId: string, token: number, cause: string | null): Promise<void>;
  /** Stores a new snapshot of a segment, with which the feed continues. No effect under a stale token. */
  renewAudience(feedId: string, token: number, audience: FeedAudience): Promise<void>;
  /** Returns users of a feed of a retry run, after the given one. */
  retriedUsers(feedId: string, after: string | null, limit: number): Promise<RetriedUsers>;
  /**
   * Takes batches from the paces of these runs, and returns them by run. An allowance grows with time, up to that of
   * one second and at least one batch. Runs without a pace are left out.
   */
  takePace(requests: readonly PaceRequest[]): Promise<Map<string, number>>;
  /** Returns the loads of those feeds whose runs are running, whichever trigger pages them. */
  loads(feedIds: readonly string[]): Promise<FeedLoad[]>;
  /**
   * Lists feeds of running runs: all, or those that began or were resumed after `since` less `reachMs`. The reach
   * covers transactions that were not committed at the earlier listing.
   */
  listFeeds(since: string | null, reachMs: number): Promise<ListedFeeds>;
}
