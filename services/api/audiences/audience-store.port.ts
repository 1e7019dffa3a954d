import type { AudienceState, RejectedRow } from '../../../shared/contracts/campaigns/audiences.ts';
import type { ListDeletion } from '../../../shared/ports/stored-audiences.ts';
import type { Page } from '../frame/page.port.ts';

export interface AudienceRecord {
  audienceId: string;
  name: string;
  /** Whom to ask about it. */
  owner: string | null;
  state: AudienceState;
  countries: { country: string; users: number }[];
  rows: number;
  duplicates: number;
  rejected: number;
  cause: string | null;
  createdAt: Date;
  readyAt: Date | null;
  /** Campaigns that name it now, `usedByAtMost` at most. */
  usedBy: number;
  /** Saved audiences that are made of it. */
  usedBySaved: number;
  /** It is deleted then, as things stand; null while something keeps it, and where lists are kept for ever. */
  expiresAt: Date | null;
}

/** More campaigns than these are not counted for a row. */
export const usedByAtMost = 100;

/** What does not matter is left out. */
export interface AudienceSearch {
  /** Part of the name, large and small letters alike. */
  text?: string | undefined;
  owner?: string | undefined;
  state?: AudienceState | undefined;
  hasRejects?: boolean | undefined;
  isUsed?: boolean | undefined;
}

export interface AudienceCounts {
  all: number;
  withRejects: number;
  /** Ready, and named by no campaign and no saved audience. */
  notUsed: number;
  failed: number;
}

export interface UploadStart {
  /** uuid v7. */
  audienceId: string;
  name: string;
  /** Of all rows; null where each row has its own. */
  country: string | null;
  /** In whose quotas it counts; without one: in none. */
  account?: string | null;
  owner?: string | null;
}

/** Rows of one place in the file, as they came: in any order, repeats included. */
export interface UploadRows {
  /** Run parallel. */
  countries: readonly string[];
  users: readonly string[];
  /** In the file, ascending: of the rows of one person, the first says the country. */
  lines: readonly number[];
}

/** Rejects that are kept with their values. */
export const maxRejectsKept = 1000;

export interface UploadEnd {
  rows: number;
  rejected: number;
  /** The first of those that were rejected. */
  rejects: readonly RejectedRow[];
}

/** Rows on their way into a list. */
export interface Upload<Received = AudienceRecord> {
  /** @throws {BeyondQuotaError} with what has come by now, the account or the installation has more than it may */
  add(rows: UploadRows): Promise<void>;
  /**
   * Sorts what came, leaves out what repeats, rejects the rows that name a person again in another country, and makes
   * the list ready, at once. Undefined when another upload has taken its place: nothing of this one stays.
   * @throws {BeyondQuotaError}
   */
  finish(end: UploadEnd): Promise<Received | undefined>;
  /** Nothing of it stays but its cause and its rejects. Safe after an `add` that failed. */
  fail(cause: string, end: UploadEnd): Promise<void>;
}

/**
 * - `begun`: rows can be added.
 * - `ready`: the list was uploaded under this id before.
 * - `busy`: as many are uploaded as can be.
 */
export type UploadBegin =
  { kind: 'begun'; upload: Upload } | { kind: 'ready'; record: AudienceRecord } | { kind: 'busy' };

export interface AudienceStore {
  /**
   * Takes the place of an upload of the same id that has not ended.
   * @throws {BeyondQuotaError} there is no room for another list
   */
  begin(start: UploadStart): Promise<UploadBegin>;
  get(audienceId: string): Promise<AudienceRecord | undefined>;
  /**
   * Newest first; `cursor` is the id of the last one of the page before.
   * @throws {InvalidCursorError} when it is no id
   */
  list(search: AudienceSearch, limit: number, cursor: string | null): Promise<Page<AudienceRecord>>;
  counts(search: Pick<AudienceSearch, 'text'>): Promise<AudienceCounts>;
  /**
   * What is not said stays; no owner: it has none from now on.
   * @returns undefined where there is none
   */
  change(
    audienceId: string,
    change: { name?: string | undefined; owner?: string | null | undefined },
  ): Promise<AudienceRecord | undefined>;
  /** In the order of lines, behind a line. */
  rejects(audienceId: string, limit: number, afterLine: number): Promise<Page<RejectedRow>>;
  /** A list that a campaign which is scheduled or runs names, or a saved audience, is kept. */
  delete(audienceId: string): Promise<ListDeletion>;
}
