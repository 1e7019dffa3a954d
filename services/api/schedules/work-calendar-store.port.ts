import type { RecurrenceDefinition } from '../../../shared/contracts/schedules/recurrences.ts';
import type { WorkCalendars } from '../../../shared/domain/recurrence/work-calendars.ts';
import type { WorkCalendarDefinition } from '../../../shared/contracts/schedules/work-calendars.ts';

export interface WorkCalendarRecord {
  name: string;
  definition: WorkCalendarDefinition;
  revision: number;
  schedules: number;
  createdAt: Date;
  updatedAt: Date;
}

export type CalendarRemoval =
  | { kind: 'removed' | 'missing' }
  /** The first ten schedules that use the calendar. */
  | { kind: 'in-use'; users: { scheduleId: string; name: string }[] };

/** Store of work calendars: days off for schedules. */
export interface WorkCalendarStore {
  list(): Promise<WorkCalendarRecord[]>;
  get(name: string): Promise<WorkCalendarRecord | undefined>;
  /**
   * Creates or replaces a calendar; has no effect if nothing differs. Undecided instants of its schedules follow the
   * new definition. Undefined if the maximum number of calendars exists.
   */
  put(name: string, definition: WorkCalendarDefinition): Promise<WorkCalendarRecord | undefined>;
  remove(name: string): Promise<CalendarRemoval>;
  /** Returns the calendar that a recurrence names; empty if it names none, or the calendar does not exist. */
  named(recurrence: Pick<RecurrenceDefinition, 'workCalendar'>): Promise<WorkCalendars>;
}
