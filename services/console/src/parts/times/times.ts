const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export interface TimeStyle {
  /** IANA name. */
  zone: string;
  /** Current time, which determines today. */
  now: Date;
  withSeconds?: boolean;
  /** Shows day and year even if the time is today: printed or forwarded text is read on another day. */
  withDay?: boolean;
}

/** Formats a time: `10:46` today, `Fri 27 Nov, 00:00` on another day, with the year if it is another year. */
export function formatTime(instant: string | Date, style: TimeStyle): string {
  const at = new Date(instant);
  const clock = clockTime(at, style);
  const [day, today] = [dayOf(at, style.zone), dayOf(style.now, style.zone)];
  if (style.withDay === true) return `${formatDay(at, { ...style, withYear: true })}, ${clock}`;
  if (day === today) return clock;
  return `${formatDay(at, style)}, ${clock}`;
}

/** Splits `Fri 27 Nov, 00:00` into day and clock time. The day is undefined if the text has none. */
export function partsOfTime(text: string): { day: string | undefined; clock: string } {
  const [clock = '', day] = text.split(', ').reverse();
  return { day, clock };
}

/** Shortens a time that follows an earlier one: the day is omitted if it is the same. */
export function formatFollowingTime(text: string, earlier: string): string {
  const { day, clock } = partsOfTime(text);
  return day === partsOfTime(earlier).day ? clock : text;
}

/** Formats a day: `Fri 27 Nov`, or `Fri 27 Nov 2027` in another year. */
export function formatDay(
  instant: string | Date,
  { zone, now, withYear = false }: Pick<TimeStyle, 'zone' | 'now'> & { withYear?: boolean },
): string {
  const at = new Date(instant);
  const parts = partsOf(at, zone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  const isThisYear = !withYear && parts.year === partsOf(now, zone, { year: 'numeric' }).year;
  return `${parts.weekday} ${parts.day} ${parts.month}${isThisYear ? '' : ` ${parts.year}`}`;
}

/** Formats a duration in its two largest units, rounded: `5 d 22 h`, `1 h 38 min`, `2 min 41 s`, `38 s`. */
export function formatDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span > 0 && Math.round(span) < secondMs) return `${Math.round(span)} ms`;
  // Rounding comes first, because it can reach the next unit: 59.6 s are a minute.
  const seconds = roundTo(secondMs, span);
  if (seconds < minuteMs) return `${seconds / secondMs} s`;
  if (seconds < hourMs) return twoUnits(seconds, minuteMs, 'min', secondMs, 's');
  const minutes = roundTo(minuteMs, span);
  if (minutes < dayMs) return twoUnits(minutes, hourMs, 'h', minuteMs, 'min');
  return twoUnits(roundTo(hourMs, span), dayMs, 'd', hourMs, 'h');
}

/** Formats a configured duration exactly: `2.5 s`. A rounded value would differ from the form that sets it. */
export function formatSetDuration(ms: number): string {
  return ms > secondMs && ms % secondMs !== 0 ? `${ms / secondMs} s` : formatDuration(ms);
}

function roundTo(unitMs: number, ms: number): number {
  return Math.round(ms / unitMs) * unitMs;
}

/** Formats a time zone: `Asia/Singapore (UTC+8)`. */
export function formatZone(zone: string, now: Date): string {
  if (zone === 'UTC') return 'UTC';
  const { timeZoneName } = partsOf(now, zone, { timeZoneName: 'shortOffset' });
  const offset = timeZoneName.replace('GMT', 'UTC');
  return zone === offset ? zone : `${zone} (${offset})`;
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  const whole = `${Math.floor(ms / large)} ${largeName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

function clockTime(at: Date, { zone, withSeconds = false }: TimeStyle): string {
  const { hour, minute, second } = partsOf(at, zone, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  return withSeconds ? `${hour}:${minute}:${second}` : `${hour}:${minute}`;
}

function dayOf(at: Date, zone: string): string {
  const { year, month, day } = partsOf(at, zone, { year: 'numeric', month: '2-digit', day: '2-digit' });
  return `${year}-${month}-${day}`;
}

type Parts = Readonly<
  Record<'weekday' | 'day' | 'month' | 'year' | 'hour' | 'minute' | 'second' | 'timeZoneName', string>
>;

const noParts: Parts = {
  weekday: '',
  day: '',
  month: '',
  year: '',
  hour: '',
  minute: '',
  second: '',
  timeZoneName: '',
};

/** Cached: creating a format costs a hundred times more than using it, and tables show many times. */
const formats = new Map<string, Intl.DateTimeFormat>();

function partsOf(at: Date, zone: string, options: Intl.DateTimeFormatOptions): Parts {
  const key = `${zone} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options });
  formats.set(key, format);
  return { ...noParts, ...Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value])) };
}
