import type { CampaignAbout } from '../../../shared/contracts/campaigns/about-campaign.ts';
import type { CampaignOrigin } from '../../../shared/contracts/campaigns/campaign-origins.ts';
import type { CampaignDefinition, Canary } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { RecurrenceDefinition } from '../../../shared/contracts/schedules/recurrences.ts';
import type { ApprovalRecord } from './approvals/approvals.port.ts';
import type { ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import type { Asker } from '../../../shared/domain/run/asker.ts';
import type { Redefinition } from '../frame/redefinition.port.ts';

/**
 * State of a campaign. `draft`: not started, or unscheduled. `scheduled`: its job is not due yet, or its run has begun
 * (the latest run's state has the details).
 */
export type CampaignState = 'draft' | 'scheduled';

export interface CampaignRecord {
  campaignId: string;
  revision: number;
  state: CampaignState;
  definition: CampaignDefinition;
  about: CampaignAbout;
  /** Campaign or template from which this campaign was made; null if there is none. */
  origin: CampaignOrigin | null;
  createdAt: Date;
  /**
   * Time at which the campaign was archived; null if it is not archived. An archived campaign is neither changed nor
   * started.
   */
  archivedAt: Date | null;
  /** Due time of the campaign's job; null if there is none. */
  nextRunAt: Date | null;
  /** Schedule of a recurring campaign that was started. */
  scheduleId: string | null;
  latestRun: { runId: string; state: RunState } | null;
  /** Newest approval of the campaign itself; null if it was never submitted. */
  approval: ApprovalRecord | null;
}

/** Key that writes, and the account whose quotas the write counts towards. */
export interface Writer {
  key: string;
  account: string;
}

export interface AboutChange {
  before: CampaignAbout;
  after: CampaignAbout;
}

export interface CampaignStore {
  /**
   * Creates a draft.
   * @param campaignId UUID v7; an existing campaign is returned unchanged. Defaults to a new id.
   * @param by account whose quotas include the campaign and its runs; null: none
   * @throws {BeyondQuotaError}
   */
  create(
    definition: CampaignDefinition,
    campaignId?: string,
    by?: Writer | null,
    about?: CampaignAbout,
    origin?: CampaignOrigin | null,
  ): Promise<CampaignRecord>;
  get(campaignId: string): Promise<CampaignRecord | undefined>;
  /**
   * Stores another definition of a draft as its next revision, and returns the draft. Approvals that are given or
   * waiting become void if they cover something else; a change of the name keeps them. No effect if the campaign is not
   * a draft, or has another revision by now.
   * @param revision the revision that the definition was made from
   * @param by key that makes the change
   * @param aboutChange description to store with the same change; no effect if the description is not `before` any more
   * @throws {BeyondQuotaError}
   */
  redefine(
    campaignId: string,
    definition: CampaignDefinition,
    revision: number,
    by?: Writer | null,
    aboutChange?: AboutChange,
  ): Promise<Redefinition<CampaignRecord> | undefined>;
  /**
   * Changes the description of a campaign in any state, without a new revision.
   * @returns false without an effect if the campaign does not exist, or its description is not `before` any more
   */
  describe(campaignId: string, aboutChange: AboutChange): Promise<boolean>;
  /**
   * Moves a draft to scheduled, with the job that will start the run. Repeating it changes nothing.
   * @param dueAt null: now, by the database's clock
   * @param clearedBy result of the approval check; no effect if it does not hold any more
   * @param asker person who starts it, for the history of its run
   * @param canary canary of the run that it starts, which overrides that of the definition
   * @throws {BeyondQuotaError} if the account has too many open runs
   */
  start(
    campaignId: string,
    dueAt: Date | null,
    clearedBy?: ClearedBy,
    asker?: Asker | null,
    canary?: Canary | null,
  ): Promise<CampaignRecord | undefined>;
  /** Moves a draft to scheduled, with the schedule that will start its runs; otherwise as `start`. */
  startRecurring(
    campaignId: string,
    recurrence: RecurrenceDefinition,
    clearedBy?: ClearedBy,
  ): Promise<CampaignRecord | undefined>;
  /**
   * Moves a scheduled campaign back to draft, and deletes its job, or its schedule if that has not fired. No effect
   * once the job is a run. Repeating it changes nothing.
   */
  unschedule(campaignId: string): Promise<CampaignRecord | undefined>;
}
