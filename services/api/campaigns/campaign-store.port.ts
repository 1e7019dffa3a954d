import type { CampaignAbout } from '../../../shared/contracts/campaigns/about-campaign.ts';
import type { CampaignOrigin } from '../../../shared/contracts/campaigns/campaign-origins.ts';
import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { RecurrenceDefinition } from '../../../shared/contracts/schedules/recurrences.ts';
import type { ApprovalRecord } from './approvals/approvals.port.ts';
import type { ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import type { Asker } from '../../../shared/domain/run/asker.ts';
import type { Redefined } from '../frame/redefined.port.ts';

/**
 * `draft`: not started, or taken back. `scheduled`: its job waits to fall due, or its run has begun (then the latest
 * run's state says more).
 */
export type CampaignState = 'draft' | 'scheduled';

export interface CampaignRecord {
  campaignId: string;
  revision: number;
  state: CampaignState;
  definition: CampaignDefinition;
  about: CampaignAbout;
  /** Null: it was written from nothing. */
  origin: CampaignOrigin | null;
  createdAt: Date;
  /** When it was put away, where it is: then it is neither changed nor started. */
  archivedAt: Date | null;
  /** When its job is due; null when there is none. */
  nextRunAt: Date | null;
  /** Of a recurring campaign that was started. */
  scheduleId: string | null;
  latestRun: { runId: string; state: RunState } | null;
  /** The newest of the campaign itself; null: it was never submitted. */
  approval: ApprovalRecord | null;
}

/** The key that writes, and the account in whose quotas that counts. */
export interface Writer {
  key: string;
  account: string;
}

/** A change of what is said about a campaign. */
export interface SaidAbout {
  before: CampaignAbout;
  after: CampaignAbout;
}

export interface CampaignStore {
  /**
   * @param campaignId uuid v7; one that exists is not created again but answered as it is. A new one where none is
   * given.
   * @param by in whose account's quotas it counts, and its runs; null: in none's
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
   * Gives a draft another definition, as its next revision, and answers it as it is then. What was approved, or waits
   * for it, is void where it covers something else; with only the name changed, it goes on. No effect where it is no
   * draft, or at another revision by now.
   * @param revision the one that the definition was made from
   * @param by who changes it
   * @param said what is said about it, as part of the same change; no effect where that is not as it was before
   * @throws {BeyondQuotaError}
   */
  redefine(
    campaignId: string,
    definition: CampaignDefinition,
    revision: number,
    by?: Writer | null,
    said?: SaidAbout,
  ): Promise<Redefined<CampaignRecord> | undefined>;
  /**
   * Says something else about it, in whatever state it is; no revision.
   * @returns false, and no effect, where it is not there or something else than `before` is said about it by now
   */
  describe(campaignId: string, said: SaidAbout): Promise<boolean>;
  /**
   * draft → scheduled, with the job that will start the run. Repeating it changes nothing.
   * @param dueAt null: now, by the database's clock
   * @param clearedBy as it was judged; no effect where that does not hold any more
   * @param asker who starts it, for the history of its run
   * @throws {BeyondQuotaError} its account has as many runs open as it may
   */
  start(
    campaignId: string,
    dueAt: Date | null,
    clearedBy?: ClearedBy,
    asker?: Asker | null,
  ): Promise<CampaignRecord | undefined>;
  /** draft → scheduled, with the schedule that will start its runs, just so. */
  startRecurring(
    campaignId: string,
    recurrence: RecurrenceDefinition,
    clearedBy?: ClearedBy,
  ): Promise<CampaignRecord | undefined>;
  /**
   * scheduled → draft, together with its job, or with a schedule that has not fired; no effect once the job has become
   * a run. Repeating it changes nothing.
   */
  unschedule(campaignId: string): Promise<CampaignRecord | undefined>;
}
