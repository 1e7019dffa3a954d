import type { AudienceState, RejectedRow } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import type { ListDeletion } from '../../../../shared/ports/stored-audiences.ts';
import type { Page } from '../../frame/page.port.ts';
import type { Upload } from '../../user-files/upload.port.ts';

export interface AudienceRecord {
  audienceId: string;
  name: string;
  /** Contact for questions about the list. */
  owner: string | null;
  state: AudienceState;
  countries: { country: string; users: number }[];
  rows: number;
  duplicates: number;
  rejected: number;
  cause: string | null;
  /** True if its age does not delete the list. */
  kept: boolean;
  createdAt: Date;
  readyAt: Date | null;
  /** Campaigns that are not archived and name the list. */
  usedBy: number;
  /** Saved audiences that name the list. */
  usedBySaved: number;
  /** Time of deletion; null while the list is in use, and if lists are kept for ever. */
  expiresAt: Date | null;
}

export interface UploadStart {
  /** UUID v7. */
  audienceId: string;
  name: string;
  /** Country of all rows; null if each row has its own. */
  country: string | null;
  /** Account whose quotas include the list; null if no quota applies. */
  account?: string | null;
  owner?: string | null;
}

/**
 * Result of beginning an upload.
 * - `begun`: rows can be added.
 * - `ready`: the list was uploaded under this id before.
 */
export type UploadBegin = { kind: 'begun'; upload: Upload<AudienceRecord> } | { kind: 'ready'; record: AudienceRecord };

export interface AudienceStore {
  /** Replaces an unfinished upload of the same id. @throws {BeyondQuotaError} if no further list is allowed */
  begin(start: UploadStart): Promise<UploadBegin>;
  get(audienceId: string): Promise<AudienceRecord | undefined>;
  /** Changes the fields that are given; owner null removes the owner. @returns undefined if the list does not exist */
  change(
    audienceId: string,
    change: { name?: string | undefined; owner?: string | null | undefined; kept?: boolean | undefined },
  ): Promise<AudienceRecord | undefined>;
  /** Returns rejected rows after a line, in the order of lines. */
  rejects(audienceId: string, limit: number, afterLine: number): Promise<Page<RejectedRow>>;
  /** Deletes a list, unless a saved audience or a campaign that is scheduled or running names it. */
  delete(audienceId: string): Promise<ListDeletion>;
}
