import type { Priority } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { PageUsers } from '../../../shared/domain/ids/page-users.ts';
import type { FeedAudience } from '../../../shared/contracts/runs/feed-audience.ts';

/** A feed that this trigger pages. The token is a fencing token: writes with an older token are refused. */
export interface OwnedFeed {
  feedId: string;
  runId: string;
  country: string;
  audience: FeedAudience;
  /**
   * Number of users of the audience that the feed has reached so far, including held-out users. `excludedUsers` are not
   * part of the audience.
   */
  fedUsers: number;
  excludedUsers: number;
  /** Upper bound on `fedUsers`, set by an approval or by the policy; null without a bound. */
  usersAtMost: number | null;
  /** Number of users in `fedUsers` that are held out. */
  heldOutUsers: number;
  /** Number of users to serve while the run's canary is in progress; null without a limit. */
  canaryUsers: number | null;
  /** Number of stalls since the last page arrived. */
  stalls: number;
  /** Last user that was fed, held out or excluded; null if the feed has not begun. */
  cursor: string | null;
  nextBatchNo: number;
  /**
   * Maximum number of users per batch. It is fixed when the run begins, so later changes of action types do not apply.
   */
  batchUsers: number;
  token: number;
  priority: Priority;
  /** First step for the users of this feed. */
  fromStep: number;
  /** True if the users were stored when the run began, so that no source needs to be requested. */
  hasStoredUsers: boolean;
  /** True for the feed of a dry run. No worker calls its batches. */
  isDry: boolean;
  /**
   * Action type of the step `fromStep`. This action type and the country form the shard to which the feed's batches are
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
  /** User ids in ascending byte order. */
  users: string[];
  isLast: boolean;
}

/** Users that the feed has reached, but that are in no batch. */
export interface SkippedUsers {
  /** Number of users that an exclusion contains. They are not part of the audience. */
  excluded: number;
  heldOut: number;
  /** Ids of the held-out users, in order; absent if there are none. */
  heldOutIds?: readonly string[];
}

export interface FedPages {
  feedId: string;
  token: number;
  /** Batches in ascending order. The first has the feed's next batch number. */
  batches: readonly FedBatch[];
  /**
   * Users of the audience with invalid ids, which can never be sent: the id in escaped form, and the rule that it
   * breaks.
   */
  invalidUsers: readonly { user: string; rule: string }[];
  /** Users that were skipped up to the cursor; absent if there are none. */
  skipped?: SkippedUsers;
  /**
   * Present only for the feed of a dry run. Writing its batches also ends all their steps, because no worker calls
   * them. `shared` is the number of users of the audience that several sources contain. `country` is the feed's, for
   * caps that count calendar days.
   */
  sink?: { shared: number; country: string } | undefined;
  cursor: string | null;
  /** True if these pages contain the end of the audience. */
  complete: boolean;
  /** True if the next page is not available. The cause of the stall is then kept. */
  staysStalled: boolean;
}

/** Numbers of a feed's batches in the steps of its chain. Triggers use them to divide capacity among feeds. */
export interface FeedLoad {
  feedId: string;
  runId: string;
  country: string;
  /** Number of users of its run that may be fed now, over all feeds and triggers; null if the run has no pace. */
  paceAllows: number | null;
  /** Maximum number of users per batch, which is the same for all feeds of a run. */
  batchUsers: number;
  /** Action types in the order of the chain. */
  chain: readonly string[];
  /** Action types of the steps' checks, in the order of the chain; null for a step without a check. */
  checks: readonly (string | null)[];
  priority: Priority;
  /** Share of the feed's variant in the users of the run in this country, from 0 to 1; 1 without variants. */
  share: number;
  complete: boolean;
  /** True if a step of the feed is held until a person fixes a fault. */
  held: boolean;
  /** Steps in quiet hours. Batches that wait in these steps do not limit feeding. */
  quietSteps: readonly number[];
  fedBatches: number;
  fromStep: number;
  /** Numbers of batches by step of the chain. They include child batches (users of a batch who continue separately). */
  steps: readonly FlowCounts[];
}

export interface FlowCounts {
  done: number;
  survived: number;
  created: number;
  waiting: number;
}

/** Request of a trigger to feed whole batches of a run under the run's pace. */
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
  /** Order of the feeds by the start of their runs. Default: the oldest first. */
  first?: 'newest' | undefined;
  withoutDry?: boolean;
}

export interface FeedStore {
  /**
   * Claims incomplete feeds of running runs that have no owner and are not in the pause after a stall, and increments
   * their tokens. Feeds that `owner` already owns are not returned. Feeds that never stalled come first, then stalled
   * feeds, then feeds of dry runs; within each group, the order is that of their runs' starts.
   */
  claim(owner: string, leaseMs: number, limit: number, scope: FeedScope, choice?: FeedChoice): Promise<OwnedFeed[]>;
  /**
   * Renews leases. Returns the feeds that this owner still owns and whose runs still feed users (they are running, and
   * before their deadline).
   */
  renew(owner: string, leaseMs: number, feeds: readonly { feedId: string; token: number }[]): Promise<string[]>;
  /** Releases leases at once, when a trigger stops. */
  release(owner: string, feeds: readonly { feedId: string; token: number }[]): Promise<void>;
  /** Writes batches and the cursor in one transaction. Returns false, without writing, if the token is outdated. */
  writePages(pages: FedPages): Promise<boolean>;
  /**
   * Records the cause of a stall, and prevents claims of the feed for `retryInMs`. Has no effect if the token is
   * outdated.
   */
  stall(feedId: string, token: number, cause: string, retryInMs: number): Promise<void>;
  /** Records the reason why a feed does not progress; null removes it. Has no effect if the token is outdated. */
  show(feedId: string, token: number, cause: string | null): Promise<void>;
  /** Stores a new snapshot of a segment, in which the feed continues. Has no effect if the token is outdated. */
  renewAudience(feedId: string, token: number, audience: FeedAudience): Promise<void>;
  /** Returns users of a retry run's feed whose ids are greater than `after`. */
  retriedUsers(feedId: string, after: string | null, limit: number): Promise<RetriedUsers>;
  /**
   * Takes batches from the allowances of these runs. Returns, by run, the number of batches that were taken. An
   * allowance grows with time, up to the users of one second, but at least to one batch. Runs without a pace are not in
   * the result.
   */
  takePace(requests: readonly PaceRequest[]): Promise<Map<string, number>>;
  /** Returns the loads of these feeds, as far as their runs are running. Other triggers may page the feeds. */
  loads(feedIds: readonly string[]): Promise<FeedLoad[]>;
  /**
   * Lists feeds of running runs: all of them, or those whose runs began or were resumed after `since` minus `reachMs`.
   * The reach covers transactions that were not committed at the earlier listing.
   */
  listFeeds(since: string | null, reachMs: number): Promise<ListedFeeds>;
}
