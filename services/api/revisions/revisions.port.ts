import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { SavedAudienceDefinition } from '../../../shared/contracts/campaigns/saved-audiences.ts';
import type { TemplateDefinition } from '../../../shared/contracts/campaigns/templates.ts';
import type { Page } from '../frame/page.port.ts';

export interface Revision<Definition> {
  revision: number;
  /** Definition as it was written. Budgets of a campaign may have been raised since then. */
  definition: Definition;
  createdAt: Date;
}

export interface ListedRevision {
  revision: number;
  /** Name in that revision. */
  name: string;
  createdAt: Date;
}

/** Reads the revisions of one kind of object. Each revision is written in the transaction that changes the object. */
export interface RevisionStore<Definition> {
  /**
   * Returns revisions, newest first.
   * @param before last revision of the previous page; null for the first page
   */
  page(subject: string, limit: number, before: number | null): Promise<Page<ListedRevision>>;
  find(subject: string, revision: number): Promise<Revision<Definition> | undefined>;
}

/** Stores of revisions, by kind of object. */
export interface Revisions {
  campaign: RevisionStore<CampaignDefinition>;
  template: RevisionStore<TemplateDefinition>;
  savedAudience: RevisionStore<SavedAudienceDefinition>;
}
