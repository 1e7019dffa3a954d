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
  /** Target of the schedule: exactly one of client and campaign is set. */
  clientId: string | null;
  campaignId: string | null;
  /** Increases with every change of name, definition or note. */
  revision: number;
  definition: ReadSchedule;
  state: ScheduleState;
  stateReason: string | null;
  stateSince: Date;
  nextAt: Date | null;
  /** All instants up to this time, inclusive, are decided. */
  highWater: Date;
  note: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A schedule of a client. A campaign's schedule is created when the campaign starts (campaign-store.ts). */
export interface NewSchedule {
  /** Uuid v7; a new one unless given. A schedule that exists is not created again. */
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
  /** The schedule has another revision than expected; nothing was changed. */
  | { kind: 'outdated'; schedule: ScheduleRecord }
  /** The scheduler is still deciding on many missed instants; nothing was changed. */
  | { kind: 'busy' };

export interface OccurrenceRecord {
  /** First instant of a range. */
  scheduledFor: Date;
  /** Empty if the schedule has no groups, or for all groups. */
  group: string;
  state: 'fired' | 'buffered' | 'skipped';
  kind: OccurrenceKind | null;
  cause: SkipCause | null;
  /** More than one if neighbouring instants were skipped for the same cause. */
  instants: number;
  lastInstant: Date;
  jobId: string | null;
  runId: string | null;
  dueAt: Date | null;
  /** Region of the node that fired the occurrence. */
  region: string | null;
  decidedAt: Date;
}

/** Fires that a person requests outside of the recurrence. */
export type FireRequest =
  /** Fires one occurrence, due now. `atMs` identifies the occurrence; null means now. */
  | { kind: 'manual'; atMs: number | null }
  /** Fires all recurring instants in the range, inclusive, that have not fired. */
  | { kind: 'backfill'; fromMs: number; untilMs: number };

export type FireResult =
  | { kind: 'fired'; schedule: ScheduleRecord; occurrences: OccurrenceRecord[]; alreadyFired: number }
  | { kind: 'missing' }
  | { kind: 'unreadable'; cause: string }
  | { kind: 'disabled'; schedule: ScheduleRecord }
  | { kind: 'too-many'; atMost: number }
  /** The client's bound does not permit this many more jobs. */
  | { kind: 'no-room'; jobs: number; room: { jobs: number; bound: string; limit: number } }
  /** The account of the campaign has the maximum number of open runs. */
  | { kind: 'no-run-room'; limit: number }
  /** No group matches the schedule now. */
  | { kind: 'no-groups' };

export interface ScheduleFilter {
  state?: ScheduleState | undefined;
  clientId?: string | undefined;
  /** Part of the name; case-insensitive. */
  text?: string | undefined;
  /** Limits the list to schedules of campaigns and of these clients. */
  clientIds?: readonly string[] | undefined;
  /** Campaigns whose schedules the caller may see; undefined means all. */
  within?: CampaignScope | undefined;
}

export interface OccurrenceFilter {
  state?: OccurrenceRecord['state'] | undefined;
  group?: string | undefined;
}

/** Store of schedules. Due times are computed by the database's clock. */
export interface ScheduleStore {
  /** @throws {BeyondScheduleBoundError} if the client has the maximum number of schedules or fires */
  create(schedule: NewSchedule): Promise<ScheduleRecord>;
  get(scheduleId: string): Promise<ScheduleRecord | undefined>;
  /**
   * Lists schedules, newest first; `cursor` is the id of the last schedule of the previous page.
   * @throws {InvalidCursorError} if the cursor is not an id
   */
  list(filter: ScheduleFilter, limit: number, cursor: string | null): Promise<Page<ScheduleRecord>>;
  /**
   * Changes a schedule. Instants that were due before still fire by the previous definition; fired occurrences stay.
   * Instants missed by a broken schedule are skipped.
   * @param expected expected revision; null accepts any
   * @throws {BeyondScheduleBoundError} if the schedule would create more jobs than its client permits
   */
  change(scheduleId: string, change: ScheduleChange, expected: number | null): Promise<ScheduleChangeResult>;
  /**
   * Pauses, resumes, disables or enables a schedule. Instants that were due before still fire. The run that a
   * campaign's schedule started is paused, resumed or cancelled too.
   * @throws {BeyondQuotaError} if enabling would exceed the open runs of the campaign's account
   */
  control(
    scheduleId: string,
    verb: ScheduleVerb,
    reason: string | null,
  ): Promise<{ move: ScheduleMove; schedule: ScheduleRecord } | undefined>;
  /** Deletes a schedule with its occurrences, unless it is a campaign's. Its jobs and runs continue. */
  remove(scheduleId: string): Promise<'removed' | 'missing' | 'of-campaign'>;
  /**
   * Fires now, outside of the recurrence and regardless of the overlap policy.
   * @param groups null for all of the schedule's groups
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

/** Registry of groups, which schedules read when they fire. */
export interface GroupStore {
  listGroups(): Promise<GroupRecord[]>;
  getGroup(name: string): Promise<GroupRecord | undefined>;
  /** Creates or replaces a group; has no effect if nothing differs. */
  putGroup(group: RegisteredGroup): Promise<GroupRecord>;
  /** Deletes a group if it exists. Schedules that name the group continue without it. */
  removeGroup(name: string): Promise<void>;
}
