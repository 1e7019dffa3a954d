/** A day that is counted from its month: what schedulers besides cron have. */
export type DayRule =
  /** The last day of the month, or so many before it. */
  | { kind: 'from-end'; before: number }
  /** Monday to Friday, next to this day and in its month; null: the last one of the month. */
  | { kind: 'working-day'; near: number | null }
  /** The first to fifth of a weekday, 0 (Sunday) to 6, in the month; null: the last one. */
  | { kind: 'week-day'; day: number; nth: number | null };

const dayMs = 86_400_000;

const fromEndPattern = /^L(?:-(\d{1,2}))?$/i;
const workingDayPattern = /^(?:(\d{1,2})|L)W$/i;
const nthPattern = /^([A-Z0-9]+)#(\d)$/i;
const lastPattern = /^([A-Z0-9]+)L$/i;

/** Of the field of days of a month: `L`, `L-3`, `15W`, `LW`; undefined: it is none. */
export function readMonthDayRule(part: string): DayRule | undefined {
  const fromEnd = fromEndPattern.exec(part);
  if (fromEnd) {
    const before = Number(fromEnd[1] ?? 0);
    return before <= 30 ? { kind: 'from-end', before } : undefined;
  }
  const working = workingDayPattern.exec(part);
  if (!working) return undefined;
  const near = working[1] === undefined ? null : Number(working[1]);
  return near === null || (near >= 1 && near <= 31) ? { kind: 'working-day', near } : undefined;
}

/**
 * Of the field of days of a week: `MON#2`, `FRIL`; undefined: it is none.
 * @param dayOf a weekday as the field names it, 0 to 7; undefined: it is none
 */
export function readWeekDayRule(part: string, dayOf: (name: string) => number | undefined): DayRule | undefined {
  const parts = nthPattern.exec(part) ?? lastPattern.exec(part);
  const day = parts && dayOf(parts[1] ?? '');
  if (day === undefined || day === null) return undefined;
  const nth = parts?.[2] === undefined ? null : Number(parts[2]);
  return nth === null || (nth >= 1 && nth <= 5) ? { kind: 'week-day', day: day % 7, nth } : undefined;
}

/** @param date at its midnight, by UTC */
export function isRuledDay(rule: DayRule, date: Date): boolean {
  const [day, days] = [date.getUTCDate(), daysOfMonth(date)];
  switch (rule.kind) {
    case 'from-end':
      return day === days - rule.before;
    case 'week-day': {
      if (date.getUTCDay() !== rule.day) return false;
      return rule.nth === null ? day > days - 7 : Math.ceil(day / 7) === rule.nth;
    }
    case 'working-day':
      return (rule.near ?? 1) <= days && day === workingDayNear(rule.near ?? days, date);
  }
}

/** A Saturday's is the Friday before, a Sunday's the Monday after, unless that is in another month. */
function workingDayNear(near: number, date: Date): number {
  const days = daysOfMonth(date);
  const weekDay = new Date(date.getTime() + (near - date.getUTCDate()) * dayMs).getUTCDay();
  if (weekDay === 6) return near === 1 ? near + 2 : near - 1;
  if (weekDay === 0) return near === days ? near - 2 : near + 1;
  return near;
}

function daysOfMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
