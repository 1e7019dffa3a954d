import type { EarlierOutcome } from '../domain/run/earlier-outcomes.ts';
import type { RunState } from '../domain/run/run-states.ts';

/** A list that can be used, in one country. */
export interface StoredList {
  name: string;
  users: number;
}

/** A run whose users another run asks for. */
export interface EarlierRun {
  state: RunState;
  /** Length of its chain. */
  steps: number;
  /** Its feeds of the country, the oldest first. */
  feedIds: string[];
  /** Whether its batches still hold their users: personal data has the shortest time. */
  keepsUsers: boolean;
  /** Whether single failures are still kept, by which its outcomes are distinguished. */
  keepsFailures: boolean;
}

/** Users in ascending byte order. */
export interface StoredPage {
  users: string[];
  isLast: boolean;
}

export interface EarlierUsers {
  feedId: string;
  /** Length of the run's chain. */
  steps: number;
  /** Everybody where absent. */
  outcomes?: readonly EarlierOutcome[] | undefined;
  /** The step that the outcomes are of; the chain as a whole where absent. */
  step?: number | undefined;
}

/** Where a page of a feed's users ended. */
export interface EarlierPage extends StoredPage {
  /** Number of the batch that the next page begins with. */
  nextBatchNo: number;
}

/** What audiences are made of beside segments: uploaded lists, and the users of earlier runs. */
export interface StoredAudiences {
  /** Undefined where there is no such list, or it is not ready. No users where it has none in the country. */
  list(listId: string, country: string): Promise<StoredList | undefined>;
  /** At least one user, unless it is the last page. Undefined when the list is gone. */
  listPage(listId: string, country: string, after: string | null): Promise<StoredPage | undefined>;
  run(runId: string, country: string): Promise<EarlierRun | undefined>;
  /** How many of a run's users in a country ended like this; null where it is not counted. */
  countEarlier(runId: string, country: string, of: Omit<EarlierUsers, 'feedId'>): Promise<number | null>;
  /**
   * Number of the first of a feed's batches that holds a user behind `after`; one look-up for each doubling of the
   * feed.
   */
  batchBehind(feedId: string, after: string): Promise<number>;
  /**
   * The users of some batches from a number on; maybe none, also where it is not the last page. Undefined when they are
   * not kept any more.
   */
  earlierPage(of: EarlierUsers, fromBatchNo: number): Promise<EarlierPage | undefined>;
}

/**
 * - `in-use`: a campaign that is scheduled or runs names it.
 * - `saved-in`: a saved audience takes it in or leaves it out.
 */
export type ListDeletion =
  | { kind: 'deleted' | 'not-found' }
  | { kind: 'in-use'; campaignId: string }
  | { kind: 'saved-in'; savedAudienceId: string; name: string };
