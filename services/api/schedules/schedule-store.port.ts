import type { CampaignScope } from '../../../shared/domain/scopes.ts';
import type { KeptSchedule, ReadSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';
import type { OccurrenceKind } from '../../../shared/contracts/schedules/planned-rows.ts';
import type { RegisteredGroup } from '../../../shared/domain/recurrence/groups.ts';
import type { SkipCause } from '../../../shared/domain/recurrence/policies.ts';
import type { ScheduleMove, ScheduleState, ScheduleVerb } from '../../../shared/domain/recurrence/schedule-states.ts';
import type { Page } from '../frame/page.port.ts';

export interface ScheduleRecord {
  scheduleId: string;
  name: string;
  /** Owner of the schedule. Either the client or the campaign is null. */
  clientId: string | null;
  campaignId: string | null;
  /** Revision, which increases with each change of name, definition or note. */
  revision: number;
  definition: ReadSchedule;
  state: ScheduleState;
  stateReason: string | null;
  stateSince: Date;
  nextAt: Date | null;
  /** Time up to which, inclusive, all instants are decided. */
  highWater: Date;
  note: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Schedule of a client. The schedule of a campaign is created when the campaign starts (campaign-store.ts). */
export interface NewSchedule {
  /** UUID v7; a new id by default. If a schedule with the id exists, nothing is created. */
  scheduleId?: string | undefined;
  name: string;
  clientId: string;
  definition: KeptSchedule;
  note: string | null;
}

export type ScheduleChange = {
  [Field in keyof Omit<NewSchedule, 'scheduleId'>]?: NewSchedule[Field] | undefined;
};

export type ScheduleChangeResult =
  | { kind: 'changed'; schedule: ScheduleRecord }
  | { kind: 'missing' }
  /** `outdated`: the schedule has another revision than the expected one, and nothing was changed. */
  | { kind: 'outdated'; schedule: ScheduleRecord }
  /** `busy`: the scheduler is still deciding about many missed instants, and nothing was changed. */
  | { kind: 'busy' };

export interface OccurrenceRecord {
  /** Instant of the occurrence, or the first instant of a range. */
  scheduledFor: Date;
  /** Group of the occurrence; empty if the schedule has no groups, or for all groups. */
  group: string;
  state: 'fired' | 'buffered' | 'skipped';
  kind: OccurrenceKind | null;
  cause: SkipCause | null;
  /** Number of instants. It is more than one if consecutive instants were skipped for the same cause. */
  instants: number;
  lastInstant: Date;
  jobId: string | null;
  runId: string | null;
  dueAt: Date | null;
  /** Region of the process that created the jobs or the run; null if the occurrence was skipped. */
  region: string | null;
  decidedAt: Date;
}

/** Occurrences that a person requests in addition to the recurrence. */
export type FireRequest =
  /** Requests one occurrence, due now. `atMs` identifies the occurrence; null means now. */
  | { kind: 'manual'; atMs: number | null }
  /** Requests all instants of the recurrence in the range, inclusive, that have no jobs or run yet. */
  | { kind: 'backfill'; fromMs: number; untilMs: number };

export type FireResult =
  | { kind: 'fired'; schedule: ScheduleRecord; occurrences: OccurrenceRecord[]; alreadyFired: number }
  | { kind: 'missing' }
  | { kind: 'unreadable'; cause: string }
  | { kind: 'disabled'; schedule: ScheduleRecord }
  | { kind: 'too-many'; atMost: number }
  /** `no-room`: the limit of the client does not permit this number of jobs. */
  | { kind: 'no-room'; jobs: number; room: { jobs: number; bound: string; limit: number } }
  /** `no-run-room`: the account of the campaign has the maximum number of open runs. */
  | { kind: 'no-run-room'; limit: number }
  /** `no-groups`: no group matches the schedule at present. */
  | { kind: 'no-groups' };

export interface ScheduleFilter {
  state?: ScheduleState | undefined;
  clientId?: string | undefined;
  /** Part of the name, case-insensitive. */
  text?: string | undefined;
  /** Ids of clients. The list contains only schedules of campaigns and of these clients. */
  clientIds?: readonly string[] | undefined;
  /** Campaigns whose schedules the caller may see; undefined means all. */
  within?: CampaignScope | undefined;
}

export interface OccurrenceFilter {
  state?: OccurrenceRecord['state'] | undefined;
  group?: string | undefined;
}

/** Store of schedules. Due times are computed with the clock of the database. */
export interface ScheduleStore {
  /**
   * Creates a schedule.
   * @throws {BeyondScheduleBoundError} if the client has the maximum number of schedules, or its schedules create the
   * maximum number of jobs
   */
  create(schedule: NewSchedule): Promise<ScheduleRecord>;
  get(scheduleId: string): Promise<ScheduleRecord | undefined>;
  /**
   * Lists schedules, newest first; `cursor` is the id of the last schedule of the previous page.
   * @throws {InvalidCursorError} if the cursor is not an id
   */
  list(filter: ScheduleFilter, limit: number, cursor: string | null): Promise<Page<ScheduleRecord>>;
  /**
   * Changes a schedule. Instants that were due before are decided by the previous definition, and past occurrences
   * stay. Instants that a schedule missed because it could not be read are skipped.
   * @param expected revision that the caller expects; null permits any
   * @throws {BeyondScheduleBoundError} if the schedule would create more jobs than its client permits
   */
  change(scheduleId: string, change: ScheduleChange, expected: number | null): Promise<ScheduleChangeResult>;
  /**
   * Pauses, resumes, disables or enables a schedule. Instants that were due before still start their jobs or runs. The
   * run that the schedule of a campaign started is also paused, resumed or cancelled.
   * @throws {BeyondQuotaError} if the account of the campaign would have too many open runs
   */
  control(
    scheduleId: string,
    verb: ScheduleVerb,
    reason: string | null,
  ): Promise<{ move: ScheduleMove; schedule: ScheduleRecord } | undefined>;
  /**
   * Deletes a schedule of a client with its occurrences. Its jobs continue. The schedule of a campaign is not deleted.
   */
  remove(scheduleId: string): Promise<'removed' | 'missing' | 'of-campaign'>;
  /**
   * Creates occurrences now, in addition to the recurrence, even if an earlier run has not ended.
   * @param groups groups of the occurrences; null for all groups of the schedule
   */
  fire(scheduleId: string, request: FireRequest, groups: readonly string[] | null): Promise<FireResult>;
  /**
   * Lists occurrences, newest first; `cursor` is `next` of the previous page.
   * @throws {InvalidCursorError} if the cursor was not returned with a page
   */
  occurrences(
    scheduleId: string,
    filter: OccurrenceFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<OccurrenceRecord>>;
}

export interface GroupRecord extends RegisteredGroup {
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Registry of groups. Schedules read it when an occurrence is due. */
export interface GroupStore {
  listGroups(): Promise<GroupRecord[]>;
  getGroup(name: string): Promise<GroupRecord | undefined>;
  /** Creates or replaces a group. Has no effect if nothing differs. */
  putGroup(group: RegisteredGroup): Promise<GroupRecord>;
  /** Deletes a group if it exists. Schedules that use the group continue without it. */
  removeGroup(name: string): Promise<void>;
}
