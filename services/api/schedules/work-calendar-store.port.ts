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
  /** `in-use`: schedules use the calendar. `users` has the first ten of them. */
  | { kind: 'in-use'; users: { scheduleId: string; name: string }[] };

/** Store of work calendars, which contain days off for schedules. */
export interface WorkCalendarStore {
  list(): Promise<WorkCalendarRecord[]>;
  get(name: string): Promise<WorkCalendarRecord | undefined>;
  /**
   * Creates or replaces a calendar. Has no effect if nothing differs. Undecided instants of its schedules follow the
   * new definition. Returns undefined if the maximum number of calendars exists.
   */
  put(name: string, definition: WorkCalendarDefinition): Promise<WorkCalendarRecord | undefined>;
  remove(name: string): Promise<CalendarRemoval>;
  /** Returns the calendar of a recurrence; an empty map if it has none, or if the calendar does not exist. */
  named(recurrence: Pick<RecurrenceDefinition, 'workCalendar'>): Promise<WorkCalendars>;
}
