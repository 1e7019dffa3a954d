import { expect, test } from 'vitest';
import { backlogOf, busiestMinutes } from './client-figures.ts';

const now = Date.parse('2026-11-24T10:42:16Z');
const minute = (at: string, calls: number, full = false) => {
  return { minute: `2026-11-24T${at}:00.000Z`, calls, callsPerSecond: calls / 60, full };
};
const forecast = (minutes: ReturnType<typeof minute>[], hours = 3) => {
  return { clientId: 'cli_1', asOf: '', hours, estimated: false, publishRatePerSecond: 10, peak: null, minutes };
};

test('the backlog is what was due in minutes that are over', () => {
  const due = forecast([minute('10:24', 300), minute('10:30', 60), minute('10:42', 5), minute('10:50', 40)]);
  expect(backlogOf(due, now)).toEqual({ jobs: 360, sinceMs: Date.parse('2026-11-24T10:24:00Z') });
  expect(backlogOf(forecast([minute('10:50', 40)]), now)).toBeNull();
});

test('an hour is as high as its busiest minute, and an hour without any is there too', () => {
  const load = busiestMinutes(forecast([minute('10:20', 900), minute('10:50', 60), minute('12:01', 700, true)]), now);
  expect(load.map(({ hour, calls, isFull }) => [hour.slice(11, 16), calls, isFull])).toEqual([
    ['10:00', 60, false],
    ['11:00', 0, false],
    ['12:00', 700, true],
  ]);
});
