import { expect, test } from 'vitest';
import type { ClientLoad } from '#client/types.gen.ts';
import { ledger, load } from '../../testing/jobs.ts';
import { busiestMinutes, clientKpis } from './client-figures.ts';

const now = Date.parse('2026-11-24T10:42:16Z');
const minute = (at: string, calls: number, full = false) => {
  return { minute: `2026-11-24T${at}:00.000Z`, calls, callsPerSecond: calls / 60, full };
};
const forecast = (minutes: ReturnType<typeof minute>[], hours = 3) => {
  return { clientId: 'cli_1', asOf: '', hours, estimated: false, publishRatePerSecond: 10, peak: null, minutes };
};

const kpis = (of: Partial<ClientLoad>) =>
  Object.fromEntries(
    clientKpis(ledger, { ...load, ...of }, now).map(({ name, value, unit = '', note }) => [
      name,
      `${value} ${unit} ${note}`.replace('  ', ' '),
    ]),
  );
const [aside, receipts] = load.endpoints;
if (!aside || !receipts) throw new Error('the sample has two endpoints');

test('the lag is that of the host that is left alone, beside that of what is due', () => {
  const endpoints = [{ ...aside, asideSince: '2026-11-24T10:24:00.000Z' }, receipts];
  expect(kpis({ endpoints })['Lag']).toBe('18 min 16 s jobs that name none, sidelined · all else 0.6 s');
  expect(kpis({ endpoints: [receipts], lagMs: 12_400 })['Lag']).toBe('12 s of the oldest that is due');
  expect(kpis({ endpoints: [{ ...aside, asideSince: null }, receipts] })['Lag']).toBe(
    '0.6 s receipts, of the oldest that is due',
  );
  expect(kpis({ endpoints: [{ ...receipts, lagMs: 0 }], lagMs: 0 })['Lag']).toBe('0.0 s nothing is due');
});

test('backlog, calls and credit say of what', () => {
  expect(kpis({})).toMatchObject({
    Backlog: '430 jobs 30 due, 400 sidelined',
    'Called, last minute': '43 calls/s of 210 allowed',
    'Calls at once': '14 of 100 credit for 486 more jobs',
  });
  expect(kpis({ due: 0, sidelined: 0, maxCallsPerSecond: null, dispatchers: [], estimated: true })).toMatchObject({
    Backlog: '0 jobs due and not called',
    'Called, last minute': '43 calls/s without a limit',
    'Calls at once': '14 of 100 no dispatcher takes jobs',
  });
  expect(kpis({ estimated: true })['Backlog']).toBe('430 jobs at least 30 due, 400 sidelined');
});

test('an hour is as high as its busiest minute, and an hour without any is there too', () => {
  const hours = busiestMinutes(forecast([minute('10:20', 900), minute('10:50', 60), minute('12:01', 700, true)]), now);
  expect(hours.map(({ hour, calls, isFull }) => [hour.slice(11, 16), calls, isFull])).toEqual([
    ['10:00', 60, false],
    ['11:00', 0, false],
    ['12:00', 700, true],
  ]);
});
