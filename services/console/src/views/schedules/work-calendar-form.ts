import type { WorkCalendar } from '#client/types.gen.ts';

type WeekDay = WorkCalendar['weekDaysOff'][number];
type DateOff = WorkCalendar['dates'][number];

export interface CalendarForm {
  name: string;
  weekDaysOff: WeekDay[];
  /** One date per line, followed by its name. */
  dates: string;
  /** True for an existing calendar, whose name cannot change. */
  isExisting: boolean;
}

export const weekDays: readonly { day: WeekDay; label: string }[] = [
  { day: 'MON', label: 'Mon' },
  { day: 'TUE', label: 'Tue' },
  { day: 'WED', label: 'Wed' },
  { day: 'THU', label: 'Thu' },
  { day: 'FRI', label: 'Fri' },
  { day: 'SAT', label: 'Sat' },
  { day: 'SUN', label: 'Sun' },
];

export function formatDates(dates: readonly DateOff[]): string {
  return dates
    .toSorted((a, b) => a.date.localeCompare(b.date))
    .map(({ date, name }) => (name === undefined ? date : `${date} ${name}`))
    .join('\n');
}

/** Parses the lines. The API validates the dates. */
export function parseDates(text: string): DateOff[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [date = '', ...words] = line.split(/\s+/);
      return words.length === 0 ? { date } : { date, name: words.join(' ') };
    });
}
