/**
 * Wall clocks computed minute by minute with `Intl` only: slow, but too simple to be wrong. Tests compare the rules of
 * clock changes with them.
 */
export interface ClockWindow {
  zone: string;
  /** The first instant of the window. */
  startMs: number;
  /** Local times, one for each minute. */
  displayed: readonly number[];
  /** Every minute of the calendar between the first and the last one shown. */
  calendar: readonly CalendarMinute[];
}

interface CalendarMinute {
  /** Minute, hour, day of month, month, day of week. */
  fields: readonly [number, number, number, number, number];
  /** First instant at which the clock shows this minute; undefined if it never does. */
  at: number | undefined;
  /** First instant at which the clock shows a later time. */
  after: number;
}

const minuteMs = 60_000;

export function clockWindow(zone: string, around: string, days: number): ClockWindow {
  const startMs = Date.parse(around) - days * 86_400_000;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const displayedMs: number[] = [];
  for (let minute = 0; minute < days * 2 * 1440; minute++) {
    const parts = (format.format(startMs + minute * minuteMs).match(/\d+/g) ?? []).map(Number);
    const [year, month, day, hour, minutes] = parts;
    displayedMs.push(Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minutes));
  }
  const firstMs = displayedMs[0] ?? 0;
  const view = displayedMs.map((localMs) => (localMs - firstMs) / minuteMs);
  return { zone, startMs, displayed: view, calendar: calendarOf(view, firstMs) };
}

function calendarOf(rendered: readonly number[], firstMs: number): CalendarMinute[] {
  const calendar: CalendarMinute[] = [];
  let after = 0;
  for (let place = 0; place <= (rendered.at(-1) ?? 0); place++) {
    while ((rendered[after] ?? Infinity) <= place) after++;
    const date = new Date(firstMs + place * minuteMs);
    calendar.push({
      fields: [date.getUTCMinutes(), date.getUTCHours(), date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay()],
      at: undefined,
      after,
    });
  }
  rendered.forEach((place, at) => {
    const minute = calendar[place];
    if (minute) minute.at ??= at;
  });
  return calendar;
}

/** One generated part of a cron field. No parser is between this part and the oracle. */
export type Part = { star: true; step: number } | { star: false; from: number; to: number; step: number };
export type Fields = readonly [Part[], Part[], Part[], Part[], Part[]];

const lowest = [0, 0, 1, 1, 0];

export function expressionOf(fields: Fields): string {
  return fields.map((parts) => parts.map(textOf).join(',')).join(' ');
}

function textOf(part: Part): string {
  const step = part.step === 1 ? '' : `/${part.step}`;
  if (part.star) return `*${step}`;
  return part.from === part.to && step === '' ? String(part.from) : `${part.from}-${part.to}${step}`;
}

function isIn(parts: readonly Part[], lowestValue: number, value: number): boolean {
  return parts.some((part) => {
    const from = part.star ? lowestValue : part.from;
    return (part.star || (value >= from && value <= part.to)) && (value - from) % part.step === 0;
  });
}

function beginsWithStar(parts: readonly Part[]): boolean {
  return parts[0]?.star === true;
}

/** Returns a predicate: true if the fields match a minute of the calendar. Each value is compared separately. */
function naming(fields: Fields): (minute: CalendarMinute) => boolean {
  const tables = fields.map((parts, field) => {
    return Array.from({ length: 60 }, (_, value) => isIn(parts, lowest[field] ?? 0, value));
  });
  const [minutes = [], hours = [], days = [], months = [], weekDays = []] = tables;
  // In cron, Sunday is 0 and 7.
  weekDays[0] = weekDays[0] === true || weekDays[7] === true;
  const both = beginsWithStar(fields[2]) || beginsWithStar(fields[4]);
  return ({ fields: [minute, hour, day, month, weekDay] }) => {
    if (!minutes[minute] || !hours[hour] || !months[month]) return false;
    const [byDate, byDay] = [days[day] === true, weekDays[weekDay] === true];
    return both ? byDate && byDay : byDate || byDay;
  };
}

export type OracleEvent = { atMs: number } & (
  { kind: 'fire'; mark: 'shifted' | 'repeated' | null } | { kind: 'skipped'; count: number }
);

/**
 * Returns the occurrences in the window according to the policy of design.md, in its simplest form; ascending,
 * occurrences in a gap first.
 */
export function oracle(fields: Fields, { startMs, displayed, calendar }: ClockWindow): OracleEvent[] {
  const fires = new Map<number, 'shifted' | 'repeated' | null>();
  const leapt = new Map<number, number>();
  const isNamed = naming(fields);
  if (beginsWithStar(fields[0]) || beginsWithStar(fields[1])) {
    displayed.forEach((place, at) => {
      const minute = calendar[place];
      if (minute && isNamed(minute)) fires.set(at, minute.at === at ? null : 'repeated');
    });
    for (const minute of calendar) {
      if (minute.at === undefined && isNamed(minute)) leapt.set(minute.after, (leapt.get(minute.after) ?? 0) + 1);
    }
  } else {
    for (const minute of calendar) {
      if (!isNamed(minute)) continue;
      if (minute.at === undefined) fires.set(minute.after, 'shifted');
      else if (!fires.has(minute.at)) fires.set(minute.at, null);
    }
  }
  const events: OracleEvent[] = [
    ...[...leapt].map(([at, count]) => ({ kind: 'skipped' as const, atMs: startMs + at * minuteMs, count })),
    ...[...fires].map(([at, mark]) => ({ kind: 'fire' as const, atMs: startMs + at * minuteMs, mark })),
  ];
  return events.sort((a, b) => a.atMs - b.atMs);
}
