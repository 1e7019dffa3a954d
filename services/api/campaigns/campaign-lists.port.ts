import type { CampaignChoice, CampaignStanding } from '../../../shared/domain/run/campaign-standing.ts';
import type { CampaignRecord } from './campaign-store.port.ts';

/** How long a run that could not be carried out asks for attention. */
export const failedRunShownDays = 7;
/** A run that waits for no longer than this is expected to go on by itself. */
export const waitingShownMs = 60_000;

export interface CampaignSearch {
  /** Part of the name, large and small letters alike; or the whole id. */
  text?: string | undefined;
  campaignId?: string | undefined;
  country?: string | undefined;
  action?: string | undefined;
}

export interface ListedCampaign {
  campaign: CampaignRecord;
  standing: CampaignStanding;
  needsAttention: boolean;
  /** The newest run that has not ended, else the newest; those that tried failed users again left out. */
  runId: string | null;
  pausedItself: boolean;
}

/** Behind the campaign that a page ended with. */
export interface CampaignPlace {
  /** As it was in that page. */
  rank: number;
  campaignId: string;
}

export type CampaignCountsRow = Record<CampaignChoice | 'all', number>;

export interface CampaignLists {
  /**
   * @param order `newest`; or `state`: what needs attention, then what runs, is paused, is scheduled, has ended, is a
   * draft, each newest first
   */
  page(
    search: CampaignSearch,
    choice: CampaignChoice | undefined,
    order: 'newest' | 'state',
    limit: number,
    after: CampaignPlace | null,
  ): Promise<{ items: ListedCampaign[]; next: CampaignPlace | null }>;
  /** How many the search finds in all, and of each choice. */
  counts(search: CampaignSearch): Promise<CampaignCountsRow>;
  /**
   * Another text whenever a campaign was made or changed, or a run of one began, changed its state, was stalled or
   * ended.
   */
  changeMark(): Promise<string>;
}
