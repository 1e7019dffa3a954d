/** A cron rule of the most common kind: days of the week, at a time. */
export interface WeeklyRule {
  days: readonly WeekDay[];
  time: string;
}

export const weekDays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type WeekDay = (typeof weekDays)[number];

/** Parses a cron rule. Null if the rule cannot be expressed by days of the week and one time. */
export function weeklyOf(cron: string): WeeklyRule | null {
  const match = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[A-Z,]+)$/.exec(cron.trim().toUpperCase().replaceAll(/\s+/g, ' '));
  if (!match) return null;
  const [, minute = '', hour = '', dayList = ''] = match;
  const named = dayList === '*' ? weekDays : dayList.split(',');
  const days = weekDays.filter((day) => named.includes(day));
  const isWhole = days.length === new Set(named).size && Number(minute) < 60 && Number(hour) < 24;
  return isWhole ? { days, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` } : null;
}

/** Builds a cron rule. Returns an empty text, which is not a valid rule, if no day is chosen or the time is invalid. */
export function cronOf({ days, time }: WeeklyRule): string {
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time.trim());
  if (!match || days.length === 0) return '';
  const dayList = days.length === weekDays.length ? '*' : weekDays.filter((day) => days.includes(day)).join(',');
  return `${Number(match[2])} ${Number(match[1])} * * ${dayList}`;
}
