import { beforeEach, describe, expect, it } from 'vitest';
import { createWorkCalendarReader } from '../../shared/postgres/schedules/work-calendars.ts';
import { databaseForFile } from '../support/file-database.ts';

const database = databaseForFile();
const named = [{ workCalendar: 'SG' }, { workCalendar: 'VN' }, {}, { workCalendar: 'SG' }];
const firstDate = Date.UTC(2027, 0, 1);

async function put(name: string, dates: string[]): Promise<void> {
  await database.pool.query(
    `insert into work_calendars as c (name, definition) values ($1, $2) on conflict (name) do update
     set definition = excluded.definition, revision = c.revision + 1`,
    [name, JSON.stringify({ weekDaysOff: ['SUN'], dates: dates.map((date) => ({ date })) })],
  );
}

describe('the reader of work calendars', () => {
  beforeEach(async () => {
    await database.empty();
    await put('SG', ['2027-01-01']);
    await put('VN', ['2027-01-02']);
  });

  it('parses a calendar once per revision', async () => {
    const read = createWorkCalendarReader();
    const first = await read(database.pool, named);
    expect([...first.keys()].sort()).toEqual(['SG', 'VN']);
    const second = await read(database.pool, named);
    expect(second.get('SG')).toBe(first.get('SG'));

    await put('SG', ['2027-01-03']);
    const third = await read(database.pool, named);
    expect(third.get('SG')?.datesOff.has(firstDate)).toBe(false);
    expect(third.get('VN')).toBe(first.get('VN'));
  });

  it('reads a calendar again that was deleted and recreated', async () => {
    const read = createWorkCalendarReader();
    await read(database.pool, named);
    await database.pool.query(`delete from work_calendars where name = 'SG'`);
    expect((await read(database.pool, named)).has('SG')).toBe(false);
    await put('SG', ['2027-01-05']);
    expect((await read(database.pool, named)).get('SG')?.datesOff.has(firstDate)).toBe(false);
  });

  it('reads a calendar again that was changed in SQL under the same revision', async () => {
    const read = createWorkCalendarReader();
    const first = await read(database.pool, named);
    const changed = JSON.stringify({ weekDaysOff: ['SUN'], dates: [{ date: '2027-01-03' }] });
    await database.pool.query(`update work_calendars set definition = $1 where name = 'SG'`, [changed]);
    const second = await read(database.pool, named);
    expect(second.get('SG')?.datesOff.has(firstDate)).toBe(false);
    expect(second.get('VN')).toBe(first.get('VN'));
  });

  it('omits an unreadable calendar on every read', async () => {
    await database.pool.query(`update work_calendars set definition = '{"weekDaysOff": 7}' where name = 'SG'`);
    const read = createWorkCalendarReader();
    expect([...(await read(database.pool, named)).keys()]).toEqual(['VN']);
    expect([...(await read(database.pool, named)).keys()]).toEqual(['VN']);
  });

  it('returns more calendars than its cache holds', async () => {
    const names = Array.from({ length: 20 }, (_, nth) => `c${nth}`);
    for (const name of names) await put(name, ['2027-01-01', '2027-01-03', '2027-01-05']);
    const read = createWorkCalendarReader({ mostDates: 10 });
    const recurrences = names.map((workCalendar) => ({ workCalendar }));
    for (let reads = 0; reads < 2; reads++) expect((await read(database.pool, recurrences)).size).toBe(names.length);
  });
});
