import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { createWorkCalendarReader } from './work-calendars.ts';

const named = [{ workCalendar: 'SG' }];
const newYear = Date.UTC(2027, 0, 1);

describe('the reader of work calendars', () => {
  it('reads a calendar again if another transaction wrote it under the same revision', async () => {
    const columns = { name: 'SG', revision: 1 };
    let row = { writtenBy: '700', definition: { weekDaysOff: ['SUN'], dates: [{ date: '2027-01-01' }] } };
    const query = (text: string) => {
      const { writtenBy, definition } = row;
      return Promise.resolve({ rows: [{ ...columns, definition, ...(text.includes('xmin::text') && { writtenBy }) }] });
    };
    const pool = Object.assign(new Pool(), { query });
    const read = createWorkCalendarReader();
    const first = await read(pool, named);
    expect(first.get('SG')?.datesOff.has(newYear)).toBe(true);
    expect((await read(pool, named)).get('SG')).toBe(first.get('SG'));

    row = { writtenBy: '701', definition: { weekDaysOff: ['SUN'], dates: [{ date: '2027-01-03' }] } };
    expect((await read(pool, named)).get('SG')?.datesOff.has(newYear)).toBe(false);
  });
});
