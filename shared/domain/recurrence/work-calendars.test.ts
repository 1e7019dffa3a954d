import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { readCron, type Cron } from './cron.ts';
import { localTimes, workingTimes } from './local-times.ts';
import { instantsFrom, nextFires, nextInstantMs, nextTimes, type Recurrence } from './recurrence.ts';
import {
  dayOf,
  dayOffPolicies,
  isDayOff,
  longestRowOff,
  mostDaysOffInARow,
  whyDayOff,
  type DayOffPolicy,
  type WorkCalendar,
} from './work-calendars.ts';

const dayMs = 86_400_000;
const at = (text: string) => Date.parse(`${text}Z`);

function cronOf(expression: string): Cron {
  const read = readCron(expression);
  if (!read.ok) throw new Error(read.detail);
  return read.cron;
}

const weekend = [0, 6];

function calendarOf(dates: Record<string, string> = {}, weekDaysOff: readonly number[] = weekend): WorkCalendar {
  const datesOff = new Map(Object.entries(dates).map(([date, name]) => [at(`${date}T00:00:00`), name]));
  return { weekDaysOff: new Set(weekDaysOff), datesOff };
}

interface Question {
  cron: string;
  policy: DayOffPolicy;
  calendar?: WorkCalendar;
  zone?: string;
}

function recurring({ cron, policy, calendar = calendarOf(), zone = 'UTC' }: Question) {
  const daysOff = { calendar, policy };
  return { kind: 'cron', cron: cronOf(cron), zone, fromMs: 0, untilMs: null, daysOff } satisfies Recurrence;
}

/** Returns the fires and the skipped times as texts. */
function fires(question: Question, after: string, count: number): string[] {
  return nextFires(recurring(question), at(after), count).instants.map((each) => {
    const text = new Date(each.atMs).toISOString().slice(0, 16);
    if (each.kind === 'day-off') return `${text} off${each.count === 1 ? '' : ` ${each.count}`}`;
    return each.kind === 'skipped' || each.mark === null ? text : `${text} ${each.mark}`;
  });
}

// 2026-12-25 is a Friday.
const christmas = calendarOf({ '2026-12-25': 'Christmas Day' });

describe('a time on a day off', () => {
  it('is skipped under the policy skip', () => {
    expect(fires({ cron: '0 9 * * *', policy: 'skip', calendar: christmas }, '2026-12-24T00:00', 2)).toEqual([
      '2026-12-24T09:00',
      '2026-12-25T09:00 off',
      '2026-12-26T09:00 off',
      '2026-12-27T09:00 off',
      '2026-12-28T09:00',
    ]);
  });

  it('moves to the nearest working day before or after it', () => {
    const monthly = { cron: '0 9 25 * *', calendar: christmas };
    expect(fires({ ...monthly, policy: 'before' }, '2026-12-01T00:00', 1)).toEqual(['2026-12-24T09:00']);
    expect(fires({ ...monthly, policy: 'after' }, '2026-12-01T00:00', 1)).toEqual(['2026-12-28T09:00']);
  });

  it('fires once together with other times on the same working day', () => {
    const daily = { cron: '0 9 * * *', calendar: christmas };
    expect(fires({ ...daily, policy: 'after' }, '2026-12-24T00:00', 3)).toEqual([
      '2026-12-24T09:00',
      '2026-12-28T09:00',
      '2026-12-29T09:00',
    ]);
    expect(fires({ ...daily, policy: 'before' }, '2026-12-24T00:00', 2)).toEqual([
      '2026-12-24T09:00',
      '2026-12-28T09:00',
    ]);
  });

  it('moves across the end of a month and a year', () => {
    const newYear = calendarOf({ '2027-01-01': '' });
    expect(fires({ cron: '0 9 1 1 *', policy: 'before', calendar: newYear }, '2026-12-01T00:00', 1)).toEqual([
      '2026-12-31T09:00',
    ]);
  });

  it('is determined by the date in its time zone', () => {
    const question = { cron: '0 23 * * *', policy: 'skip', zone: 'America/New_York', calendar: christmas } as const;
    expect(fires(question, '2026-12-25T00:00', 2)).toEqual([
      '2026-12-25T04:00',
      '2026-12-26T04:00 off',
      '2026-12-27T04:00 off',
      '2026-12-28T04:00 off',
      '2026-12-29T04:00',
    ]);
  });

  it('fires after the gap if it moves into a DST gap', () => {
    // The gap is on Sunday 2026-03-08, 02:00 to 03:00.
    const saturday = calendarOf({}, [6]);
    const question = { cron: '30 2 7 3 *', policy: 'after', zone: 'America/New_York', calendar: saturday } as const;
    expect(fires(question, '2026-03-01T00:00', 1)).toEqual(['2026-03-08T07:00 shifted']);
  });

  it('gives one entry per day with the number of its times', () => {
    expect(fires({ cron: '* 9 * * *', policy: 'skip', calendar: christmas }, '2026-12-25T00:00', 1)).toEqual([
      '2026-12-25T09:00 off 60',
      '2026-12-26T09:00 off 60',
      '2026-12-27T09:00 off 60',
      '2026-12-28T09:00',
    ]);
  });

  it('causes a read of the schedule at its time, before the next fire', () => {
    const recurrence = recurring({ cron: '0 9 * * *', policy: 'skip', calendar: christmas });
    expect(nextTimes(recurrence, at('2026-12-24T09:00'))).toEqual({
      fireMs: at('2026-12-28T09:00'),
      checkMs: at('2026-12-25T09:00'),
    });
  });

  it('is named by its date or weekday', () => {
    const days = ['2026-12-25', '2026-12-26', '2027-01-01'].map((date) => at(`${date}T00:00`));
    const calendar = calendarOf({ '2026-12-25': 'Christmas Day', '2027-01-01': '' });
    expect(days.map((day) => whyDayOff(calendar, day))).toEqual(['Christmas Day', 'Saturday', 'day off']);
  });
});

describe('an expression with only days off', () => {
  it('never fires, and is searched within limits', () => {
    for (const zone of ['UTC', 'America/New_York']) {
      expect(
        nextInstantMs(recurring({ cron: '* * * * SUN', policy: 'skip', zone }), at('2026-01-01T00:00')),
      ).toBeNull();
    }
    const { instants, lookedUntilMs } = nextFires(
      recurring({ cron: '* * * * SUN', policy: 'skip' }),
      at('2026-01-01T00:00'),
      5,
    );
    expect(instants.length).toBeLessThan(100);
    expect(lookedUntilMs).not.toBeNull();
  });
});

describe('a sequence of days off', () => {
  it('consists of its dates and the weekends between them', () => {
    expect(longestRowOff(christmas)).toBe(3);
    expect(longestRowOff(calendarOf({ '2026-12-24': '', '2026-12-25': '', '2026-12-28': '' }))).toBe(5);
    expect(longestRowOff(calendarOf())).toBe(0);
  });

  it('is counted up to the maximum', () => {
    const days = Array.from({ length: 400 }, (_, day) => new Date(day * dayMs).toISOString().slice(0, 10));
    expect(longestRowOff(calendarOf(Object.fromEntries(days.map((day) => [day, '']))))).toBe(mostDaysOffInARow + 1);
  });
});

const from = at('2026-03-01T00:00');
const days = 100;
const anyCalendar = fc
  .record({
    weekDaysOff: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 5 }),
    dates: fc.uniqueArray(fc.integer({ min: -20, max: days + 20 }), { maxLength: 25 }),
  })
  .map(({ weekDaysOff, dates }): WorkCalendar => {
    return { weekDaysOff: new Set(weekDaysOff), datesOff: new Map(dates.map((day) => [from + day * dayMs, ''])) };
  })
  .filter((calendar) => longestRowOff(calendar) <= mostDaysOffInARow);
const anyCron = fc.constantFrom(
  ...['0 9 * * *', '30 2 * * *', '15 1,2,3 * * SAT', '0 0 1,15 * *', '*/20 * * * SUN,MON', '0 8 L * *', '5 4 * 4 *'],
);
const anyPolicy = fc.constantFrom(...dayOffPolicies);

/** Returns each day of an expression, moved day by day; clock changes do not matter to it. */
function movedByHand(cron: Cron, calendar: WorkCalendar, policy: DayOffPolicy): number[] {
  const moved = new Set<number>();
  const margin = (mostDaysOffInARow + 8) * dayMs;
  for (const time of localTimes(cron, from - margin, from + days * dayMs + margin)) {
    let day = dayOf(time);
    if (isDayOff(calendar, day) && policy === 'skip') continue;
    while (isDayOff(calendar, day)) day += policy === 'after' ? dayMs : -dayMs;
    moved.add(day + (time - dayOf(time)));
  }
  return [...moved].filter((time) => time >= from && time < from + days * dayMs).sort((a, b) => a - b);
}

describe('a work calendar', () => {
  it('moves and skips times exactly like a day-by-day calculation', () => {
    fc.assert(
      fc.property(anyCron, anyCalendar, anyPolicy, (expression, calendar, policy) => {
        const cron = cronOf(expression);
        const times = [...workingTimes(cron, { calendar, policy }, from, from + days * dayMs)];
        expect(times).toEqual(movedByHand(cron, calendar, policy));
      }),
    );
  });

  it('fires only on working days and in order, in every zone around clock changes', () => {
    const zones = fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Beirut', 'America/Santiago');
    fc.assert(
      fc.property(anyCron, anyCalendar, anyPolicy, zones, (expression, calendar, policy, zone) => {
        const recurrence = recurring({ cron: expression, policy, calendar, zone });
        const untilMs = from + days * dayMs;
        const instants = [...instantsFrom({ ...recurrence, untilMs }, from)];
        const fired = instants.filter(({ kind }) => kind === 'fire');
        const wanted = instants.flatMap((each) => (each.kind === 'fire' ? [dayOf(each.localMs ?? 0)] : []));
        expect(wanted.filter((day) => isDayOff(calendar, day))).toEqual([]);
        const order = instants.map(({ atMs }) => atMs);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
        expect(new Set(fired.map(({ atMs }) => atMs)).size).toBe(fired.length);
      }),
    );
  });

  it('changes no time if it has no days off, and accounts for every time under the policy skip', () => {
    const zones = fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe', 'Europe/Berlin');
    fc.assert(
      fc.property(anyCron, anyCalendar, zones, (expression, calendar, zone) => {
        const untilMs = from + days * dayMs;
        const { daysOff: _, ...plain } = recurring({ cron: expression, policy: 'skip', zone });
        const all = [...instantsFrom({ ...plain, untilMs }, from)];
        const ruled = [
          ...instantsFrom({ ...recurring({ cron: expression, policy: 'skip', calendar, zone }), untilMs }, from),
        ];
        const times = (each: typeof all) => each.filter(({ kind }) => kind !== 'skipped').map(({ atMs }) => atMs);
        expect(times(ruled)).toEqual(times(all));
        const empty = calendarOf({}, []);
        for (const policy of dayOffPolicies) {
          const recurrence = recurring({ cron: expression, policy, calendar: empty, zone });
          expect([...instantsFrom({ ...recurrence, untilMs }, from)]).toEqual(all);
        }
      }),
    );
  });
});
