import type { AudienceState, RejectedRow } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import type { ListDeletion } from '../../../../shared/ports/stored-audiences.ts';
import type { Page } from '../../frame/page.port.ts';
import type { Upload } from '../../user-files/upload.port.ts';

export interface AudienceRecord {
  audienceId: string;
  name: string;
  /** Person or team to ask about the list. */
  owner: string | null;
  state: AudienceState;
  countries: { country: string; users: number }[];
  rows: number;
  duplicates: number;
  rejected: number;
  cause: string | null;
  /** True if the list is kept, whatever its age. */
  kept: boolean;
  createdAt: Date;
  readyAt: Date | null;
  /** Number of campaigns that are not archived and use the list. */
  usedBy: number;
  /** Number of saved audiences that use the list. */
  usedBySaved: number;
  /** Time at which the list will be deleted; null while it is in use, and if lists are kept for ever. */
  expiresAt: Date | null;
}

export interface UploadStart {
  /** Id of the list, a UUID v7. */
  audienceId: string;
  name: string;
  /** Country of all rows; null if the rows have a column of countries. */
  country: string | null;
  /** Account in whose quotas the list counts; null if no quota applies. */
  account?: string | null;
  owner?: string | null;
}

/**
 * Result of beginning an upload.
 * - `begun`: rows can be added.
 * - `ready`: an earlier upload with this id has already completed the list.
 */
export type UploadBegin = { kind: 'begun'; upload: Upload<AudienceRecord> } | { kind: 'ready'; record: AudienceRecord };

export interface AudienceStore {
  /**
   * Begins an upload. It replaces an unfinished upload of the same id.
   * @throws {BeyondQuotaError} if a quota allows no further list
   */
  begin(start: UploadStart): Promise<UploadBegin>;
  get(audienceId: string): Promise<AudienceRecord | undefined>;
  /**
   * Changes the given fields; an owner of null removes the owner.
   * @returns undefined if the list does not exist
   */
  change(
    audienceId: string,
    change: { name?: string | undefined; owner?: string | null | undefined; kept?: boolean | undefined },
  ): Promise<AudienceRecord | undefined>;
  /** Returns rejected rows after a line, ordered by line. */
  rejects(audienceId: string, limit: number, afterLine: number): Promise<Page<RejectedRow>>;
  /** Deletes a list, unless a saved audience or a scheduled or running campaign uses it. */
  delete(audienceId: string): Promise<ListDeletion>;
}
