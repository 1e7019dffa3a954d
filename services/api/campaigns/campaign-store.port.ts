import type { CampaignAbout } from '../../../shared/contracts/campaigns/about-campaign.ts';
import type { CampaignOrigin } from '../../../shared/contracts/campaigns/campaign-origins.ts';
import type { CampaignDefinition, Canary } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { RecurrenceDefinition } from '../../../shared/contracts/schedules/recurrences.ts';
import type { ApprovalRecord } from './approvals/approvals.port.ts';
import type { ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import type { Requester } from '../../../shared/domain/run/requester.ts';
import type { Redefinition } from '../frame/redefinition.port.ts';

/**
 * State of a campaign.
 * - `draft`: the campaign was not started, or was unscheduled.
 * - `scheduled`: its job is not due yet, or its run has begun; the state of the latest run then has the details.
 */
export type CampaignState = 'draft' | 'scheduled';

export interface CampaignRecord {
  campaignId: string;
  revision: number;
  state: CampaignState;
  definition: CampaignDefinition;
  about: CampaignAbout;
  /** Campaign or template from which this campaign was created; null if it was written anew. */
  origin: CampaignOrigin | null;
  createdAt: Date;
  /**
   * Time at which the campaign was archived; null if it is not archived. An archived campaign can be neither changed
   * nor started.
   */
  archivedAt: Date | null;
  /** Time at which the campaign's job is due; null if it has no job. */
  nextRunAt: Date | null;
  /** Schedule of a recurring campaign that was started; otherwise null. */
  scheduleId: string | null;
  latestRun: { runId: string; state: RunState } | null;
  /** Newest approval of the campaign itself; null if it was never submitted. */
  approval: ApprovalRecord | null;
}

/** Key that writes a campaign, and the account in whose quotas the write counts. */
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
   * @param campaignId UUID v7; an existing campaign is returned unchanged. The default is a new id.
   * @param by account in whose quotas the campaign and its runs count; null if no quota applies
   * @throws {BeyondQuotaError} if a quota allows no further campaign
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
   * waiting become void if the content that they cover has changed; a change of the name keeps them. Has no effect if
   * the campaign is not a draft or has another revision by now.
   * @param revision revision from which the new definition was made
   * @param by key that makes the change
   * @param aboutChange description to store with the change; nothing is stored if the current description is no longer
   * `before`
   * @throws {BeyondQuotaError} if a quota is exceeded
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
   * @returns false, without an effect, if the campaign does not exist or its description is no longer `before`
   */
  describe(campaignId: string, aboutChange: AboutChange): Promise<boolean>;
  /**
   * Schedules a draft, with the job that will start its run. A repeat has no effect.
   * @param dueAt time of the start; null means now, by the database's clock
   * @param clearedBy result of the approval check; the call has no effect if the result no longer holds
   * @param asker person who starts the campaign, for the history of its run
   * @param canary canary of the started run, which overrides the one of the definition
   * @throws {BeyondQuotaError} if the account has too many open runs
   */
  start(
    campaignId: string,
    dueAt: Date | null,
    clearedBy?: ClearedBy,
    asker?: Requester | null,
    canary?: Canary | null,
  ): Promise<CampaignRecord | undefined>;
  /** Schedules a recurring draft, with the schedule that will start its runs. Otherwise like `start`. */
  startRecurring(
    campaignId: string,
    recurrence: RecurrenceDefinition,
    clearedBy?: ClearedBy,
  ): Promise<CampaignRecord | undefined>;
  /**
   * Makes a scheduled campaign a draft again, and deletes its job, or its schedule if that has not started a run. Has
   * no effect once a run has begun. A repeat has no effect.
   */
  unschedule(campaignId: string): Promise<CampaignRecord | undefined>;
}
