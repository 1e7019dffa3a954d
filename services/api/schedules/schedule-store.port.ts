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
  /** Whom it calls for, or what it starts: exactly one is set. */
  clientId: string | null;
  campaignId: string | null;
  /** Moves with every change of name, definition or note. */
  revision: number;
  definition: ReadSchedule;
  state: ScheduleState;
  stateReason: string | null;
  stateSince: Date;
  nextAt: Date | null;
  /** Everything up to it, inclusive, is decided. */
  highWater: Date;
  note: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** What recurs of itself; a campaign's schedule is made with its start (campaign-store.ts). */
export interface NewSchedule {
  /** uuid v7; one that exists is not made again. A new one where none is given. */
  scheduleId?: string | undefined;
  name: string;
  clientId: string;
  definition: KeptSchedule;
  note: string | null;
}

export type ScheduleChange = {
  [Field in keyof Omit<NewSchedule, 'scheduleId'>]?: NewSchedule[Field] | undefined;
};

export type ScheduleChanged =
  | { kind: 'changed'; schedule: ScheduleRecord }
  | { kind: 'missing' }
  /** It is not at the expected revision any more: nothing was changed. */
  | { kind: 'outdated'; schedule: ScheduleRecord }
  /** So much was missed that deciding it takes the scheduler a while: nothing was changed. */
  | { kind: 'busy' };

export interface OccurrenceRecord {
  /** Of a range: its first instant. */
  scheduledFor: Date;
  /** Empty: the schedule has no groups, or all of them are meant. */
  group: string;
  state: 'fired' | 'buffered' | 'skipped';
  kind: OccurrenceKind | null;
  cause: SkipCause | null;
  /** More than one where neighbours were skipped for one cause. */
  instants: number;
  lastInstant: Date;
  /** A job's id, where it called. */
  jobId: string | null;
  /** Where it started one. */
  runId: string | null;
  dueAt: Date | null;
  /** Whose node fired it. */
  region: string | null;
  decidedAt: Date;
}

/** What fires beside the rhythm, because a person asks for it. */
export type FireRequest =
  /** At this instant, which tells it from others; null: now. It is due now either way. */
  | { kind: 'manual'; atMs: number | null }
  /** What recurs between the two, inclusive, and has not fired. */
  | { kind: 'backfill'; fromMs: number; untilMs: number };

export type Fired =
  | { kind: 'fired'; schedule: ScheduleRecord; occurrences: OccurrenceRecord[]; alreadyFired: number }
  | { kind: 'missing' }
  /** It cannot be read. */
  | { kind: 'unreadable'; cause: string }
  /** Switched off. */
  | { kind: 'disabled'; schedule: ScheduleRecord }
  | { kind: 'too-many'; atMost: number }
  /** Its client may have no such number of jobs more, by that bound. */
  | { kind: 'no-room'; jobs: number; room: { jobs: number; bound: string; limit: number } }
  /** The account of its campaign may have no run more open. */
  | { kind: 'no-run-room'; limit: number }
  /** None of the schedule's, at the moment. */
  | { kind: 'no-groups' };

export interface ScheduleFilter {
  state?: ScheduleState | undefined;
  clientId?: string | undefined;
  /** In its name, whatever the case. */
  text?: string | undefined;
  /** Those of campaigns, and of these clients alone. */
  clientIds?: readonly string[] | undefined;
  /** Campaigns whose schedules the caller may see; undefined: all. */
  within?: CampaignScope | undefined;
}

export interface OccurrenceFilter {
  state?: OccurrenceRecord['state'] | undefined;
  group?: string | undefined;
}

/** Schedules as people make and change them. Due times are counted by the database's clock. */
export interface ScheduleStore {
  /** @throws {BeyondScheduleBoundError} its client may have no such one more */
  create(schedule: NewSchedule): Promise<ScheduleRecord>;
  get(scheduleId: string): Promise<ScheduleRecord | undefined>;
  /**
   * Newest first; `cursor` is the id of the last one of the page before.
   * @throws {InvalidCursorError} when it is no id
   */
  list(filter: ScheduleFilter, limit: number, cursor: string | null): Promise<Page<ScheduleRecord>>;
  /**
   * What was due before the change still fires, by the definition that it was due by; what fired is left alone. Of one
   * that is broken, what came while it was is skipped.
   * @param expected revision; null for whatever it is
   * @throws {BeyondScheduleBoundError} it would make more jobs, and its client may bring no more
   */
  change(scheduleId: string, change: ScheduleChange, expected: number | null): Promise<ScheduleChanged>;
  /**
   * What was due before fires. A campaign's run that it started is paused, resumed or cancelled with it.
   * @throws {BeyondQuotaError} it would go on, and the account of its campaign has as many runs open as it may
   */
  control(
    scheduleId: string,
    verb: ScheduleVerb,
    reason: string | null,
  ): Promise<{ move: ScheduleMove; schedule: ScheduleRecord } | undefined>;
  /** With what it decided; jobs and runs that it began go on. A campaign's cannot be deleted. */
  remove(scheduleId: string): Promise<'removed' | 'missing' | 'of-campaign'>;
  /** Now, beside the rhythm, whatever the overlap policy. @param groups null: all of the schedule's */
  fire(scheduleId: string, request: FireRequest, groups: readonly string[] | null): Promise<Fired>;
  /**
   * Newest first; `cursor` is `next` of the page before.
   * @throws {InvalidCursorError} when it is none
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

/** The registry of groups. Schedules look it up when they fire. */
export interface GroupStore {
  /** By name. */
  listGroups(): Promise<GroupRecord[]>;
  getGroup(name: string): Promise<GroupRecord | undefined>;
  /** Makes it, or says it anew; where nothing differs, nothing moves. */
  putGroup(group: RegisteredGroup): Promise<GroupRecord>;
  /** Undefined where there is none. Schedules that name it go on without it. */
  removeGroup(name: string): Promise<void>;
}
