import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { RecurrenceDefinition } from '../../../shared/contracts/schedules/recurrences.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';

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
  createdAt: Date;
  /** When its job is due; null when there is none. */
  nextRunAt: Date | null;
  /** Of a recurring campaign that was started. */
  scheduleId: string | null;
  latestRun: { runId: string; state: RunState } | null;
}

export interface CampaignStore {
  /**
   * @param campaignId uuid v7; one that exists is not created again but answered as it is. A new one where none is
   * given.
   * @param account in whose quotas it counts, and its runs; null: in none
   * @throws {BeyondQuotaError}
   */
  create(definition: CampaignDefinition, campaignId?: string, account?: string | null): Promise<CampaignRecord>;
  get(campaignId: string): Promise<CampaignRecord | undefined>;
  /**
   * Gives a draft another definition, as its next revision, and answers it as it is then. No effect where it is no
   * draft, or at another revision by now: who asks sees that by the answer's revision.
   * @param revision the one that the definition was made from
   * @param account of who changes it
   * @throws {BeyondQuotaError}
   */
  redefine(
    campaignId: string,
    definition: CampaignDefinition,
    revision: number,
    account?: string | null,
  ): Promise<CampaignRecord | undefined>;
  /**
   * draft → scheduled, with the job that will start the run. Repeating it changes nothing.
   * @param dueAt null: now, by the database's clock
   * @throws {BeyondQuotaError} its account has as many runs open as it may
   */
  start(campaignId: string, dueAt: Date | null): Promise<CampaignRecord | undefined>;
  /** draft → scheduled, with the schedule that will start its runs, just so. */
  startRecurring(campaignId: string, recurrence: RecurrenceDefinition): Promise<CampaignRecord | undefined>;
  /**
   * scheduled → draft, together with its job, or with a schedule that has not fired; no effect once the job has become
   * a run. Repeating it changes nothing.
   */
  unschedule(campaignId: string): Promise<CampaignRecord | undefined>;
}
