import type { EarlierOutcome } from '../domain/run/earlier-outcomes.ts';
import type { RunState } from '../domain/run/run-states.ts';

export interface StoredList {
  name: string;
  users: number;
}

export interface EarlierRun {
  state: RunState;
  steps: number;
  /** Feeds of the run in the country, the oldest first. */
  feedIds: string[];
  /** True if its batches still hold their users: personal data has the shortest retention. */
  keepsUsers: boolean;
  /** True if single failures are still stored, which distinguish its outcomes. */
  keepsFailures: boolean;
}

export interface StoredPage {
  users: string[];
  isLast: boolean;
}

export interface EarlierUsers {
  feedId: string;
  steps: number;
  /** Outcomes of the selected users; undefined means users of every outcome. */
  outcomes?: readonly EarlierOutcome[] | undefined;
  /** Step whose outcomes are selected; undefined means the chain as a whole. */
  step?: number | undefined;
}

export interface EarlierPage extends StoredPage {
  nextBatchNo: number;
}

/** Sources of audiences other than segments: uploaded lists, and the users of earlier runs. */
export interface StoredAudiences {
  /** Returns undefined if there is no such list, or it is not ready; no users if it has none in the country. */
  list(listId: string, country: string): Promise<StoredList | undefined>;
  /** Returns at least one user, unless it is the last page. Returns undefined if the list was deleted. */
  listPage(listId: string, country: string, after: string | null): Promise<StoredPage | undefined>;
  run(runId: string, country: string): Promise<EarlierRun | undefined>;
  /** Returns the number of a run's users in a country with these outcomes; null if they are not counted. */
  countEarlier(runId: string, country: string, of: Omit<EarlierUsers, 'feedId'>): Promise<number | null>;
  /**
   * Returns the number of the first of a feed's batches that holds a user after `after`. The search is logarithmic: one
   * look-up for each doubling of the feed.
   */
  firstBatchAfter(feedId: string, after: string): Promise<number>;
  /**
   * Returns one page of users, beginning with the batch `fromBatchNo`. A page may be empty and still not be the last.
   * Returns undefined if the users are no longer stored.
   */
  earlierPage(of: EarlierUsers, fromBatchNo: number): Promise<EarlierPage | undefined>;
}

/**
 * Result of deleting a list.
 * - `in-use`: a campaign that is scheduled or running names the list.
 * - `saved-in`: a saved audience includes or excludes the list.
 */
export type ListDeletion =
  | { kind: 'deleted' | 'not-found' }
  | { kind: 'in-use'; campaignId: string }
  | { kind: 'saved-in'; savedAudienceId: string; name: string };
