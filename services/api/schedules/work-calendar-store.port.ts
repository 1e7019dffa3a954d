import type { RecurrenceDefinition } from '../../../shared/contracts/schedules/recurrences.ts';
import type { WorkCalendars } from '../../../shared/domain/recurrence/work-calendars.ts';
import type { WorkCalendarDefinition } from '../../../shared/contracts/schedules/work-calendars.ts';

export interface WorkCalendarRecord {
  name: string;
  definition: WorkCalendarDefinition;
  revision: number;
  /** How many go by it. */
  schedules: number;
  createdAt: Date;
  updatedAt: Date;
}

export type RemovedCalendar =
  | { kind: 'removed' | 'missing' }
  /** The first ten of the schedules that name it. */
  | { kind: 'in-use'; users: { scheduleId: string; name: string }[] };

/** Days off that schedules go by. */
export interface WorkCalendarStore {
  /** By name. */
  list(): Promise<WorkCalendarRecord[]>;
  get(name: string): Promise<WorkCalendarRecord | undefined>;
  /**
   * Makes it, or says it anew; where nothing differs, nothing moves. What its schedules have not decided goes by it.
   * Undefined: there are as many as there may be.
   */
  put(name: string, definition: WorkCalendarDefinition): Promise<WorkCalendarRecord | undefined>;
  remove(name: string): Promise<RemovedCalendar>;
  /** That a recurrence names; empty where it names none, or there is none. */
  named(recurrence: Pick<RecurrenceDefinition, 'workCalendar'>): Promise<WorkCalendars>;
}
