import type { CampaignScope } from '../../../../shared/domain/scopes.ts';
import type { AudienceState, RejectedRow } from '../../../../shared/contracts/campaigns/audiences.ts';
import type { ListDeletion } from '../../../../shared/ports/stored-audiences.ts';
import type { Page } from '../../frame/page.port.ts';
import type { Upload } from '../../user-files/upload.port.ts';

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
  /** Countries and actions that the caller may see; undefined: all. */
  within?: CampaignScope | undefined;
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

/**
 * - `begun`: rows can be added.
 * - `ready`: the list was uploaded under this id before.
 */
export type UploadBegin = { kind: 'begun'; upload: Upload<AudienceRecord> } | { kind: 'ready'; record: AudienceRecord };

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
  counts(search: Pick<AudienceSearch, 'text' | 'within'>): Promise<AudienceCounts>;
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
