import { isRuledDay, readMonthDayRule, readWeekDayRule, type DayRule } from './cron-days.ts';

export interface Cron {
  months: ReadonlySet<number>;
  /** Days of the month, 1 to 31. */
  monthDays: ReadonlySet<number>;
  /** Weekdays, 0 (Sunday) to 6. */
  weekDays: ReadonlySet<number>;
  /** Additional days of the two fields, such as `L` and `MON#2`. */
  monthDayRules: readonly DayRule[];
  weekDayRules: readonly DayRule[];
  /** True if a day that matches one of the two fields is enough: cron's rule if neither field begins with `*`. */
  eitherDay: boolean;
  /** Minutes since midnight, ascending. */
  times: readonly number[];
  /** True if neither minute nor hour begins with `*`: a chosen time, which clock changes must not drop or repeat. */
  isFixed: boolean;
}

export type CronField = 'minute' | 'hour' | 'day of month' | 'month' | 'day of week';

export type ReadCron = { ok: true; cron: Cron } | { ok: false; field: CronField | null; detail: string };

interface FieldRule {
  name: CronField;
  min: number;
  max: number;
  /** Names of the values; the first name is `min`. */
  names?: readonly string[];
}

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const fieldRules: readonly [FieldRule, FieldRule, FieldRule, FieldRule, FieldRule] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: monthNames },
  { name: 'day of week', min: 0, max: 7, names: dayNames },
];

/**
 * Reads minute, hour, day of month, month and day of week as in crontab(5): `*`, numbers, lists, ranges, steps, English
 * names of months and days, and nicknames such as `@daily`. As an extension, days of a month may be `L` (the last),
 * `L-3`, `15W` (the nearest working day) and `LW`. Days of a week may be `MON#2` (the second) and `FRIL` (the last).
 * Errors name `?`, seconds and years explicitly.
 */
export function readCron(expression: string): ReadCron {
  const named = expression.trim().startsWith('@');
  const written = named ? nicknames.get(expression.trim().toLowerCase()) : expression;
  if (written === undefined)
    return refused(null, `${quoted(expression.trim())} has to be ${[...nicknames.keys()].join(', ')}`);
  const fields = written.trim().split(/\s+/);
  if (fields.length !== fieldRules.length || expression.trim() === '') {
    const found = expression.trim() === '' ? 0 : fields.length;
    return refused(null, `has to be five fields (minute hour day-of-month month day-of-week), not ${found}`);
  }
  const values: ReadField[] = [];
  for (const [index, rule] of fieldRules.entries()) {
    const read = readField(fields[index] ?? '', rule);
    if (typeof read === 'string') return refused(rule.name, `${rule.name} ${read}`);
    values.push(read);
  }
  const [minutes, hours, monthDays, months, days] = values.map((read) => read.values);
  const [, , monthDayRules = [], , weekDayRules = []] = values.map((read) => read.rules);
  const [minute = '', hour = '', monthDay = '', , weekDay = ''] = fields;
  const cron: Cron = {
    months: months ?? none,
    monthDays: monthDays ?? none,
    weekDays: new Set([...(days ?? none)].map((day) => day % 7)),
    monthDayRules,
    weekDayRules,
    eitherDay: !monthDay.startsWith('*') && !weekDay.startsWith('*'),
    times: [...(hours ?? none)]
      .flatMap((each) => [...(minutes ?? none)].map((other) => each * 60 + other))
      .sort((a, b) => a - b),
    isFixed: !minute.startsWith('*') && !hour.startsWith('*'),
  };
  if (cron.eitherDay || hasSuchDay(cron)) return { ok: true, cron };
  return refused('day of month', `day of month ${monthDay} is in no month of ${fields[3] ?? ''}: it would never fire`);
}

const none: ReadonlySet<number> = new Set();

const nicknames = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/** Includes 29 February, which occurs in leap years. */
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function hasSuchDay({ months, monthDays, monthDayRules, weekDayRules }: Cron): boolean {
  const rules = [...monthDayRules, ...weekDayRules];
  if (rules.length > 0 && [...months].some((month) => rules.some((rule) => comesIn(rule, month)))) return true;
  const first = Math.min(...monthDays);
  return [...months].some((month) => first <= (longestMonths[month - 1] ?? 0));
}

/** Within 28 years each month has begun on each day of the week, February in leap years too. */
const allKindsOfYears = Array.from({ length: 28 }, (_, index) => 2000 + index);

function comesIn(rule: DayRule, month: number): boolean {
  const days = Array.from({ length: longestMonths[month - 1] ?? 31 }, (_, index) => index + 1);
  return allKindsOfYears.some((year) =>
    days.some((day) => {
      const date = new Date(Date.UTC(year, month - 1, day));
      return date.getUTCMonth() === month - 1 && isRuledDay(rule, date);
    }),
  );
}

interface ReadField {
  values: ReadonlySet<number>;
  rules: readonly DayRule[];
}

function readField(field: string, rule: FieldRule): ReadField | string {
  const values = new Set<number>();
  const rules: DayRule[] = [];
  for (const part of field.split(',')) {
    const dayRule = readDayRule(part, rule);
    if (dayRule) {
      rules.push(dayRule);
      continue;
    }
    const read = readPart(part, rule);
    if (typeof read === 'string') return read;
    for (const value of read) values.add(value);
  }
  return { values, rules };
}

function readDayRule(part: string, rule: FieldRule): DayRule | undefined {
  if (rule.name === 'day of month') return readMonthDayRule(part);
  return rule.name === 'day of week' ? readWeekDayRule(part, (name) => valueOf(name, rule)) : undefined;
}

const partPattern = /^(?:(\*)|([A-Za-z0-9]+)(?:-([A-Za-z0-9]+))?)(?:\/(\d+))?$/;

function readPart(part: string, rule: FieldRule): number[] | string {
  const parts = partPattern.exec(part);
  if (!parts) return wrong(part, rule);
  const [, star, first, last, stepText] = parts;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step < 1 || step > rule.max) return `has a step of ${stepText ?? ''}: it has to be 1 to ${rule.max}`;
  if (star !== undefined) return every(step, rule.min, lastOf(rule));

  const from = valueOf(first ?? '', rule);
  if (from === undefined) return wrong(extension.test(part) ? part : (first ?? ''), rule);
  if (last === undefined) {
    if (stepText === undefined) return [from];
    return `has ${quoted(part)}: a step needs a range, such as ${from}-${rule.max}/${stepText}`;
  }
  const named = valueOf(last, rule);
  if (named === undefined) return wrong(last, rule);
  const to = rule.name === 'day of week' && named === 0 && from > 0 ? 7 : named;
  if (from > to) return `has the range ${quoted(part)}, which ends before it begins: write ${first ?? ''}-…,…-${last}`;
  return every(step, from, to);
}

const extension = /[#?@]|^(L(-.*)?|LW|\d+[LW])$/i;

const dayRules: Partial<Record<CronField, string>> = {
  'day of month': 'L, L-1 to L-30, 1W to 31W, or LW',
  'day of week': 'MON#1 to MON#5, or MONL',
};

function wrong(text: string, rule: FieldRule): string {
  if (!extension.test(text)) return `has ${quoted(text)}, which ${shouldBe(rule)}`;
  const known = text.includes('?') ? undefined : dayRules[rule.name];
  return `has ${quoted(text)}, which ${known === undefined ? 'is not standard cron' : `has to be ${known}`}`;
}

/** Returns the last value that `*` includes. For weekdays that is 6, because weekday 7 is Sunday again. */
function lastOf({ name, max }: FieldRule): number {
  return name === 'day of week' ? 6 : max;
}

function valueOf(text: string, { min, max, names }: FieldRule): number | undefined {
  const named = names?.indexOf(text.toUpperCase()) ?? -1;
  if (named >= 0) return named + min;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  return value >= min && value <= max ? value : undefined;
}

function every(step: number, from: number, to: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

function shouldBe({ min, max, names }: FieldRule): string {
  return `has to be ${min} to ${max}${names ? `, or ${names[0] ?? ''} to ${names.at(-1) ?? ''}` : ''}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function refused(field: CronField | null, detail: string): ReadCron {
  return { ok: false, field, detail };
}
