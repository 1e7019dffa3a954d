import type { KeptSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';
import type { NewOccurrence } from '../../../shared/contracts/schedules/planned-rows.ts';
import type { SkipCause } from '../../../shared/domain/recurrence/policies.ts';
import type { WorkCalendar } from '../../../shared/domain/recurrence/work-calendars.ts';
import type { ScheduleState } from '../../../shared/domain/recurrence/schedule-states.ts';
import type { GroupRecord } from '../../../services/api/schedules/schedule-store.port.ts';
import type { SkippedRow } from '../../../shared/postgres/schedules/fire-schedules.ts';

/** Tables of recurring schedules as in Postgres (migrations/…_schema/schedules.sql). */
export interface ScheduleTables {
  readonly schedules: Map<string, ScheduleRow>;
  /** Keyed by `occurrenceKeyOf`. */
  readonly occurrences: Map<string, OccurrenceRow>;
  /** Keyed by `occurrenceKeyOf` and the cause. */
  readonly skipped: Map<string, SkippedRow & { recordedAtMs: number }>;
  readonly groups: Map<string, GroupRecord>;
  readonly calendars: Map<string, WorkCalendar>;
  readonly switchedOff: Set<string>;
}

export interface ScheduleRow {
  id: string;
  name: string;
  clientId: string | null;
  campaignId: string | null;
  revision: number;
  definition: KeptSchedule;
  state: ScheduleState;
  stateReason: string | null;
  stateSinceMs: number;
  highWaterMs: number;
  nextAtMs: number | null;
  nextCheckAtMs: number | null;
  regionNextChecks: Map<string, number | null>;
  silence: { untilMs: number; cause: SkipCause } | null;
  note: string | null;
  createdAtMs: number;
  updatedAtMs: number;
}

export interface OccurrenceRow extends NewOccurrence {
  open: boolean;
  region: string;
  owner: string;
  decidedAtMs: number;
}

export function createScheduleTables(): ScheduleTables {
  return {
    schedules: new Map(),
    occurrences: new Map(),
    skipped: new Map(),
    groups: new Map(),
    calendars: new Map(),
    switchedOff: new Set(),
  };
}

export function occurrenceKeyOf(scheduleId: string, atMs: number, group: string): string {
  return `${scheduleId}/${atMs}/${group}`;
}
