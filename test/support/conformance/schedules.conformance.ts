import { describeScheduleChanges } from './schedule-changes.conformance.ts';
import { describeScheduleFires } from './schedule-fires.conformance.ts';
import type { SchedulesSubject } from './schedules-subject.ts';

export function describeSchedules(name: string, makeSubject: () => Promise<SchedulesSubject>): void {
  describeScheduleFires(name, makeSubject);
  describeScheduleChanges(name, makeSubject);
}
