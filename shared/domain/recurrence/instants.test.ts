import { Temporal } from 'temporal-polyfill';
import { describe, expect, it, vi } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { readCron, type Cron } from './cron.ts';
import { cronInstants } from './instants.ts';
import {
  clockWindow,
  expressionOf,
  oracle,
  type ClockWindow,
  type Fields,
  type OracleEvent,
  type Part,
} from '../../../test/support/wall-clock-oracle.ts';
import { nextFires, nextInstantMs, type Recurrence } from './recurrence.ts';

function cronOf(expression: string): Cron {
  const read = readCron(expression);
  if (!read.ok) throw new Error(read.detail);
  return read.cron;
}

function recurrenceOf(expression: string, zone: string) {
  return { kind: 'cron', cron: cronOf(expression), zone, fromMs: 0, untilMs: null } as const satisfies Recurrence;
}

/** Returns the fires after a time as texts: an instant and its mark, or the skipped instants. */
function fires(expression: string, zone: string, after: string, count: number): string[] {
  return nextFires(recurrenceOf(expression, zone), Date.parse(after), count).instants.map((each) => {
    const at = new Date(each.atMs).toISOString().slice(0, 16);
    if (each.kind === 'day-off') return `${at} off`;
    if (each.kind === 'skipped') return `${at} skipped ${each.count}`;
    return each.mark === null ? at : `${at} ${each.mark}`;
  });
}

describe('a fixed local time', () => {
  it('in a DST gap fires once, at the first instant after the gap', () => {
    expect(fires('30 2 * * *', 'America/New_York', '2026-03-07T12:00Z', 2)).toEqual([
      '2026-03-08T07:00 shifted',
      '2026-03-09T06:30',
    ]);
    expect(fires('0,15,30 2 * * *', 'America/New_York', '2026-03-07T12:00Z', 2)).toEqual([
      '2026-03-08T07:00 shifted',
      '2026-03-09T06:00',
    ]);
  });

  it('in a DST overlap fires at its first occurrence', () => {
    expect(fires('30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', 2)).toEqual([
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ]);
  });

  it('on a calendar day that a zone skipped fires at the beginning of the next day', () => {
    expect(fires('0 9 30 12 *', 'Pacific/Apia', '2011-12-01T00:00Z', 1)).toEqual(['2011-12-30T10:00 shifted']);
  });

  it("at a midnight in a DST gap fires at one o'clock", () => {
    expect(fires('0 0 4 11 *', 'America/Sao_Paulo', '2018-11-01T00:00Z', 1)).toEqual(['2018-11-04T03:00 shifted']);
  });
});

describe('a wildcard expression', () => {
  it('does not fire in a DST gap, and lists the skipped instants', () => {
    expect(fires('*/30 * * * *', 'America/New_York', '2026-03-08T06:00Z', 2)).toEqual([
      '2026-03-08T06:30',
      '2026-03-08T07:00 skipped 2',
      '2026-03-08T07:00',
    ]);
  });

  it('fires both times in a DST overlap', () => {
    expect(fires('30 * * * *', 'America/New_York', '2026-11-01T05:00Z', 3)).toEqual([
      '2026-11-01T05:30',
      '2026-11-01T06:30 repeated',
      '2026-11-01T07:30',
    ]);
  });

  it('follows a clock change of half an hour', () => {
    expect(fires('*/15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', 2)).toEqual([
      '2026-10-03T15:30 skipped 2',
      '2026-10-03T15:30',
      '2026-10-03T15:45',
    ]);
  });
});

describe('a recurrence', () => {
  it('begins and ends at its bounds, both inclusive', () => {
    const bounded: Recurrence = {
      ...recurrenceOf('0 9 * * *', 'UTC'),
      fromMs: Date.parse('2026-06-02T09:00Z'),
      untilMs: Date.parse('2026-06-03T09:00Z'),
    };
    const { instants, lookedUntilMs } = nextFires(bounded, Date.parse('2026-01-01T00:00Z'), 10);
    expect(instants.map((each) => each.atMs)).toEqual([bounded.fromMs, bounded.untilMs]);
    expect(lookedUntilMs).toBeNull();
    expect(nextInstantMs(bounded, Date.parse('2026-06-03T09:00Z'))).toBeNull();
  });

  it('counts from its begin, independent of clock changes, if it is an interval', () => {
    const interval: Recurrence = {
      kind: 'interval',
      everyMs: 90_000,
      fromMs: Date.parse('2026-03-08T06:59Z'),
      untilMs: null,
    };
    expect(nextInstantMs(interval, interval.fromMs - 1)).toBe(interval.fromMs);
    expect(nextInstantMs(interval, interval.fromMs)).toBe(interval.fromMs + 90_000);
    expect(nextInstantMs(interval, interval.fromMs + 90_001)).toBe(interval.fromMs + 180_000);
  });
});

describe('the next fires of a recurrence', () => {
  const after = Date.parse('2026-11-23T00:00Z');
  const years = (ms: number) => Math.round((ms - after) / (365.25 * 86_400_000));

  it.each([
    ['0 0 29 2 *', 5],
    // A leap day on a Sunday occurs every 28 years.
    ['0 0 29 2 */7', 1],
    ['0 0 1 1 *', 20],
    ['* * * * *', 1000],
  ])('are searched for at most twenty years and with few steps: %s', (expression, fires) => {
    const transitions = vi.spyOn(Temporal.ZonedDateTime.prototype, 'getTimeZoneTransition');
    const recurrence = recurrenceOf(expression, 'Europe/Berlin');
    let days = 0;
    const months = { has: (month: number) => (days++, recurrence.cron.months.has(month)) };
    const counting = { ...recurrence, cron: { ...recurrence.cron, months: Object.assign(new Set<number>(), months) } };
    const { instants, lookedUntilMs } = nextFires(counting, after, 1000);
    expect(instants).toHaveLength(fires);
    expect(lookedUntilMs === null ? null : years(lookedUntilMs)).toBe(fires === 1000 ? null : 20);
    expect(transitions.mock.calls.length).toBeLessThanOrEqual(42);
    expect(days).toBeLessThan(1000);
    transitions.mockRestore();
  });

  it('begin at a start in the distant future, and stop at the end', () => {
    const late = { ...recurrenceOf('0 0 29 2 *', 'Europe/Berlin'), fromMs: Date.parse('2090-01-01T00:00Z') };
    const { instants, lookedUntilMs } = nextFires(late, after, 1000);
    expect(instants.map(({ atMs }) => new Date(atMs).getUTCFullYear())).toEqual([2092, 2096, 2104, 2108]);
    expect(years(lookedUntilMs ?? 0)).toBe(83);
    const ending = { ...late, untilMs: Date.parse('2094-01-01T00:00Z') };
    expect(nextFires(ending, after, 1000)).toMatchObject({ instants: [{}], lookedUntilMs: null });
  });
});

/**
 * Dates near clock changes of every kind: by an hour, half an hour and two hours; at midnight, and a minute past
 * midnight; a skipped day; a new law of the zone.
 */
const changes: readonly [zone: string, around: string][] = [
  ['America/New_York', '2026-03-08T07:00Z'],
  ['America/New_York', '2026-11-01T06:00Z'],
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  ['Pacific/Kwajalein', '1993-08-21T12:00Z'],
  ['Africa/Cairo', '2026-04-23T22:00Z'],
  ['Africa/Cairo', '2026-10-29T21:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00Z'],
  ['America/Sao_Paulo', '2019-02-17T02:00Z'],
  ['America/Havana', '2026-03-08T05:00Z'],
  ['America/St_Johns', '2010-03-14T03:31Z'],
  ['America/St_Johns', '2010-11-07T02:31Z'],
  ['Antarctica/Troll', '2026-03-29T01:00Z'],
  ['Antarctica/Troll', '2026-10-25T01:00Z'],
  ['Asia/Pyongyang', '2015-08-14T15:00Z'],
  ['Asia/Pyongyang', '2018-05-04T15:00Z'],
  ['America/Caracas', '2016-05-01T07:00Z'],
  ['Africa/Casablanca', '2026-02-15T02:00Z'],
  ['Asia/Singapore', '2026-06-01T00:00Z'],
];

describe('a cron expression around clock changes', () => {
  const daysAround = 3;
  const windows = changes.map(([zone, around]) => clockWindow(zone, around, daysAround));

  it('fires at the same instants, with the same marks, as a minute-by-minute simulation', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...windows),
        fieldsArbitrary,
        fc.integer({ min: 0, max: 48 * 60 }),
        (window, fields, later) => {
          // A day is left out at both ends, because a time in a gap may belong to an instant a day later.
          const fromMs = window.startMs + (1440 + later) * 60_000;
          const untilMs = window.startMs + (2 * daysAround - 1) * 1440 * 60_000;
          // Compared as one text, because thousands of lines are compared thousands of times.
          expect(answerOf(fields, window, fromMs, untilMs)).toBe(expectedOf(fields, window, fromMs, untilMs));
        },
      ),
      { numRuns: 3000 },
    );
  });
});

function answerOf(fields: Fields, { zone }: ClockWindow, fromMs: number, untilMs: number): string {
  const found: string[] = [];
  const range = { fromMs, untilMs: untilMs - 1 };
  for (const each of cronInstants(cronOf(expressionOf(fields)), zone, range)) found.push(described(each));
  return found.join('\n');
}

function expectedOf(fields: Fields, window: ClockWindow, fromMs: number, untilMs: number): string {
  const events = oracle(fields, window);
  return events
    .filter(({ atMs }) => atMs >= fromMs && atMs < untilMs)
    .map(described)
    .join('\n');
}

function described(each: OracleEvent): string {
  const what = each.kind === 'skipped' ? `skipped ${each.count}` : (each.mark ?? 'fires');
  return `${each.atMs} ${what}`;
}

function partArbitrary(values: readonly number[], max: number): fc.Arbitrary<Part> {
  const value = fc.constantFrom(...values);
  const star = fc.record({
    star: fc.constant(true as const),
    step: fc.constantFrom(1, 1, 2, 5, 7, 30).map((step) => Math.min(step, max)),
  });
  const range = fc
    .tuple(value, value, fc.constantFrom(1, 1, 2, 3))
    .map(([a, b, step]) => ({ star: false as const, from: Math.min(a, b), to: Math.max(a, b), step }));
  const single = value.map((each) => ({ star: false as const, from: each, to: each, step: 1 }));
  return fc.oneof({ weight: 2, arbitrary: star }, range, { weight: 4, arbitrary: single });
}

function fieldArbitrary(values: readonly number[], max: number, openness: number): fc.Arbitrary<Part[]> {
  const parts = fc.array(partArbitrary(values, max), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: openness, arbitrary: fc.constant<Part[]>([{ star: true, step: 1 }]) },
    { weight: 5, arbitrary: parts },
  );
}

/**
 * Returns false for an expression that names only 30 February and no day of the week. The parser refuses such an
 * expression, because it would never fire.
 */
function everFires([, , days, months, weekDays]: Fields): boolean {
  const isDayEnough = weekDays[0]?.star === false && days[0]?.star === false;
  const beginsBefore30 = days.some((part) => part.star || part.from < 30);
  const hasLongerMonth = months.some((part) => part.star || part.from > 2 || part.from + part.step <= part.to);
  return isDayEnough || beginsBefore30 || hasLongerMonth;
}

const anyFields: fc.Arbitrary<Fields> = fc.tuple(
  fieldArbitrary([0, 1, 2, 15, 29, 30, 31, 45, 59], 59, 1),
  fieldArbitrary([0, 1, 2, 3, 4, 9, 22, 23], 23, 2),
  fieldArbitrary([1, 4, 7, 8, 14, 15, 21, 25, 29, 30], 31, 15),
  fieldArbitrary([2, 3, 4, 5, 8, 10, 11, 12], 12, 30),
  fieldArbitrary([0, 1, 5, 6, 7], 7, 15),
);

const fieldsArbitrary = anyFields.filter(everFires);
