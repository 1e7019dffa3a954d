/** A day relative to its month: an extension of cron that other schedulers have. */
export type DayRule =
  /** The last day of the month, or `before` days earlier. */
  | { kind: 'from-end'; before: number }
  /** The working day (Monday to Friday) nearest to this day in its month; null: the last working day of the month. */
  | { kind: 'working-day'; near: number | null }
  /** The first to fifth of a weekday, 0 (Sunday) to 6, in the month; null: the last one. */
  | { kind: 'week-day'; day: number; nth: number | null };

const dayMs = 86_400_000;

const fromEndPattern = /^L(?:-(\d{1,2}))?$/i;
const workingDayPattern = /^(?:(\d{1,2})|L)W$/i;
const nthPattern = /^([A-Z0-9]+)#(\d)$/i;
const lastPattern = /^([A-Z0-9]+)L$/i;

/** Reads a rule in the day-of-month field: `L`, `L-3`, `15W`, `LW`. Returns undefined for other texts. */
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
 * Reads a rule in the day-of-week field: `MON#2`, `FRIL`. Returns undefined for other texts.
 * @param dayOf returns the weekday of a name, 0 to 7; undefined for other texts
 */
export function readWeekDayRule(part: string, dayOf: (name: string) => number | undefined): DayRule | undefined {
  const parts = nthPattern.exec(part) ?? lastPattern.exec(part);
  const day = parts && dayOf(parts[1] ?? '');
  if (day === undefined || day === null) return undefined;
  const nth = parts?.[2] === undefined ? null : Number(parts[2]);
  return nth === null || (nth >= 1 && nth <= 5) ? { kind: 'week-day', day: day % 7, nth } : undefined;
}

/**
 * Returns whether the rule selects the date.
 * @param date at midnight UTC
 */
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

/**
 * Returns the working day nearest to a day: for a Saturday the Friday before, for a Sunday the Monday after, unless
 * that is in another month.
 */
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
