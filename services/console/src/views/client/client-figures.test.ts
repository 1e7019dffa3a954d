import { expect, test } from 'vitest';
import type { ClientLoad } from '#client/types.gen.ts';
import { ledger, load } from '../../testing/jobs.ts';
import { busiestMinutes, clientKpis, slowestWords } from './client-figures.ts';

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
  expect(kpis({ endpoints })['Lag']).toBe('18 min 16 s default, sidelined · all else 0.6 s');
  expect(kpis({ endpoints: [receipts], lagMs: 12_400 })['Lag']).toBe('12 s of the oldest that is due');
  expect(kpis({ endpoints: [{ ...aside, asideSince: null }, receipts] })['Lag']).toBe(
    '0.6 s receipts, of the oldest that is due',
  );
  expect(kpis({ endpoints: [{ ...receipts, lagMs: 0 }], lagMs: 0 })['Lag']).toBe('0.0 s nothing is due');
});

test('a lag is bad beyond the bound of the alert, of a host that is left alone too', () => {
  const isBad = (of: Partial<ClientLoad>) => clientKpis(ledger, { ...load, ...of }, now)[0]?.isBad;
  const since = (ms: number) => [{ ...aside, asideSince: new Date(now - ms).toISOString() }, receipts];
  expect(isBad({ endpoints: since(299_000) })).toBe(false);
  expect(isBad({ endpoints: since(301_000) })).toBe(true);
  expect(isBad({ endpoints: [receipts], lagMs: 300_000 })).toBe(false);
  expect(isBad({ endpoints: [receipts], lagMs: 300_001 })).toBe(true);
});

test('the slowest of a hundred calls is said by the bound that it is below', () => {
  expect(slowestWords({ calls: 1, callsPerSecond: 0, p95AtMostMs: 2500 })).toBe('≤ 2,500 ms');
  expect(slowestWords({ calls: 1, callsPerSecond: 0, p95AtMostMs: null })).toBe('> 1 min');
  expect(slowestWords({ calls: 0, callsPerSecond: 0, p95AtMostMs: null })).toBe('–');
});

test('backlog, calls and credit say of what', () => {
  expect(kpis({})).toMatchObject({
    Backlog: '430 jobs 30 due, 400 sidelined',
    'Called, last minute': '43 calls/s of 210 allowed · 44 over 10 min',
    'Calls at once': '14 of 100 credit for 486 more jobs',
  });
  expect(kpis({ due: 0, sidelined: 0, maxCallsPerSecond: null, dispatchers: [], estimated: true })).toMatchObject({
    Backlog: '0 jobs due and not called',
    'Called, last minute': '43 calls/s without a limit · 44 over 10 min',
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
