import type { Priority } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { PageUsers } from '../../../shared/domain/ids/page-users.ts';
import type { FeedAudience } from '../../../shared/contracts/runs/feed-audience.ts';

/** A feed that this trigger pages. The token fences it: writes with an old token are refused. */
export interface OwnedFeed {
  feedId: string;
  runId: string;
  country: string;
  audience: FeedAudience;
  /** Number of users of the audience so far, including held-out users. `excludedUsers` are not part of the audience. */
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
  /** Step with which the users of this feed begin. */
  fromStep: number;
  /** True if the users were stored when the run began, so that no source has to be requested. */
  hasStoredUsers: boolean;
  /** True for a dry run, whose batches are never called. */
  isDry: boolean;
  /**
   * Action type of the step `fromStep`. Together with the country, it is the shard to which the feed's batches are
   * published.
   */
  firstAction: string;
  /** Milliseconds until the run's deadline, by the database's clock, at the time of the claim. */
  deadlineInMs: number;
}

export interface FedBatch {
  batchNo: number;
  users: PageUsers;
}

/** A page of the stored audience of a retry run. */
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
  /** Users that were skipped up to the cursor; absent if there are none. */
  skipped?: SkippedUsers;
  /**
   * Present only for the feed of a dry run. Its batches are never called: writing them also ends all their steps.
   * `shared` is the number of users of the audience that several sources contain.
   */
  sink?: { shared: number } | undefined;
  cursor: string | null;
  /** True for the audience's last page. */
  complete: boolean;
  /** True if the next page is not available. The cause that is shown for the stall is then kept. */
  staysStalled: boolean;
}

/** Numbers of a feed's batches in the steps of its chain. They are the basis for dividing capacity among feeds. */
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
  /** True if a step of the feed is held until a person fixes a fault. */
  held: boolean;
  /** Steps in quiet hours. Batches that wait there do not limit feeding. */
  quietSteps: readonly number[];
  fedBatches: number;
  fromStep: number;
  /**
   * Numbers of batches for each step of the chain, including child batches (users of a batch who continue separately).
   */
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
  /** Time of this listing, from which the next listing continues. */
  until: string;
}

/** Feeds to consider. `never-stalled` excludes feeds whose last page was not available. */
export type FeedScope = 'all' | 'never-stalled';

export interface FeedChoice {
  /** Order by the start of their runs; oldest first by default. */
  first?: 'newest' | undefined;
  withoutDry?: boolean;
}

export interface FeedStore {
  /**
   * Claims incomplete feeds of running runs that have no owner and are not in a pause, and increments their tokens.
   * Feeds that `owner` already owns are not returned. Order: feeds that never stalled, then stalled feeds, then feeds
   * of dry runs; within each, by the start of the run.
   */
  claim(owner: string, leaseMs: number, limit: number, scope: FeedScope, choice?: FeedChoice): Promise<OwnedFeed[]>;
  /** Renews leases. Returns the feeds that are still owned and whose runs still feed (running, before the deadline). */
  renew(owner: string, leaseMs: number, feeds: readonly { feedId: string; token: number }[]): Promise<string[]>;
  /** Releases leases at once, for a graceful stop. */
  release(owner: string, feeds: readonly { feedId: string; token: number }[]): Promise<void>;
  /** Writes batches and cursor in one transaction. Returns false, without writing, if the token is stale. */
  writePages(pages: FedPages): Promise<boolean>;
  /** Records the cause of a stall, and prevents claims for `retryInMs`. Has no effect if the token is outdated. */
  stall(feedId: string, token: number, cause: string, retryInMs: number): Promise<void>;
  /** Records the reason why a feed does not progress; null removes it. Has no effect if the token is outdated. */
  show(feedId: string, token: number, cause: string | null): Promise<void>;
  /** Stores a new snapshot of a segment, with which the feed continues. No effect under a stale token. */
  renewAudience(feedId: string, token: number, audience: FeedAudience): Promise<void>;
  /** Returns users of a retry run's feed whose ids are greater than `after`. */
  retriedUsers(feedId: string, after: string | null, limit: number): Promise<RetriedUsers>;
  /**
   * Takes batches from the allowances of these runs. Returns, by run, how many could be taken. An allowance grows with
   * time, up to the users of one second, but at least to one batch. Runs without a pace are not in the result.
   */
  takePace(requests: readonly PaceRequest[]): Promise<Map<string, number>>;
  /** Returns the loads of those feeds whose runs are running, even if other triggers page them. */
  loads(feedIds: readonly string[]): Promise<FeedLoad[]>;
  /**
   * Lists feeds of running runs: all of them, or those whose runs began or were resumed after `since` minus `reachMs`.
   * The reach covers transactions that had not committed at the earlier listing.
   */
  listFeeds(since: string | null, reachMs: number): Promise<ListedFeeds>;
}
