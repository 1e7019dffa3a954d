import { expect, test } from 'vitest';
import type { ClientLoad } from '#client/types.gen.ts';
import { ledger, load } from '../../../testing/callbacks/jobs.ts';
import { findBusiestMinutes, createClientKpis, formatP95 } from './client-figures.ts';

const now = Date.parse('2026-11-24T10:42:16Z');
const minute = (at: string, calls: number, full = false) => {
  return { minute: `2026-11-24T${at}:00.000Z`, calls, callsPerSecond: calls / 60, full };
};
const forecast = (minutes: ReturnType<typeof minute>[], hours = 3) => {
  return { clientId: 'cli_1', asOf: '', hours, estimated: false, publishRatePerSecond: 10, peak: null, minutes };
};

const kpis = (changes: Partial<ClientLoad>) =>
  Object.fromEntries(
    createClientKpis(ledger, { ...load, ...changes }, now).map(({ name, value, unit = '', note }) => [
      name,
      `${value} ${unit} ${note}`.replace('  ', ' '),
    ]),
  );
const [hostWaits, receiptsLoad] = load.endpoints;
if (!hostWaits || !receiptsLoad) throw new Error('the sample has two endpoints');

test('the lag shows the wait for a sidelined host next to the lag of the other jobs', () => {
  const endpoints = [{ ...hostWaits, circuitOpenSince: '2026-11-24T10:24:00.000Z' }, receiptsLoad];
  expect(kpis({ endpoints })['Lag']).toBe('18 min 16 s default, sidelined · other jobs 0.6 s');
  expect(kpis({ endpoints: [receiptsLoad], lagMs: 12_400 })['Lag']).toBe('12 s oldest due job');
  expect(kpis({ endpoints: [{ ...hostWaits, circuitOpenSince: null }, receiptsLoad] })['Lag']).toBe(
    '0.6 s receipts, oldest due job',
  );
  expect(kpis({ endpoints: [{ ...receiptsLoad, lagMs: 0 }], lagMs: 0 })['Lag']).toBe('0.0 s nothing is due');
});

test('a lag above the limit of the alert is marked as bad, also the wait for a sidelined host', () => {
  const isBad = (changes: Partial<ClientLoad>) => createClientKpis(ledger, { ...load, ...changes }, now)[0]?.isBad;
  const since = (ms: number) => [{ ...hostWaits, circuitOpenSince: new Date(now - ms).toISOString() }, receiptsLoad];
  expect(isBad({ endpoints: since(299_000) })).toBe(false);
  expect(isBad({ endpoints: since(301_000) })).toBe(true);
  expect(isBad({ endpoints: [receiptsLoad], lagMs: 300_000 })).toBe(false);
  expect(isBad({ endpoints: [receiptsLoad], lagMs: 300_001 })).toBe(true);
});

test('the 95th percentile is formatted as an upper bound', () => {
  expect(formatP95({ calls: 1, callsPerSecond: 0, p95AtMostMs: 2500 })).toBe('≤ 2,500 ms');
  expect(formatP95({ calls: 1, callsPerSecond: 0, p95AtMostMs: null })).toBe('> 1 min');
  expect(formatP95({ calls: 0, callsPerSecond: 0, p95AtMostMs: null })).toBe('–');
});

test('backlog, calls and credit are shown with their unit and limit', () => {
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

test('an hour has the rate of its busiest minute, and hours without jobs are included', () => {
  const hours = findBusiestMinutes(
    forecast([minute('10:20', 900), minute('10:50', 60), minute('12:01', 700, true)]),
    now,
  );
  expect(hours.map(({ hour, calls, isFull }) => [hour.slice(11, 16), calls, isFull])).toEqual([
    ['10:00', 60, false],
    ['11:00', 0, false],
    ['12:00', 700, true],
  ]);
});
