import { expect, it } from 'vitest';
import { readCron } from './cron.ts';
import { instantsPerHour } from './fires-per-hour.ts';

const bounds = { fromMs: 0, untilMs: null };

function ofCron(expression: string): number {
  const read = readCron(expression);
  if (!read.ok) throw new Error(read.detail);
  return instantsPerHour({ ...bounds, kind: 'cron', cron: read.cron, zone: 'Asia/Singapore' });
}
const ofInterval = (seconds: number) => instantsPerHour({ ...bounds, kind: 'interval', everyMs: seconds * 1000 });

it('the fires per hour of a cron expression are its fires in an hour with a fire', () => {
  expect(['* * * * *', '*/5 * * * *', '0,30 9-17 * * MON-FRI', '0 9 29 2 *'].map(ofCron)).toEqual([60, 12, 2, 1]);
});

it('the fires per hour of an interval are a mean that may be below one', () => {
  expect([1, 90, 3600, 86_400].map(ofInterval)).toEqual([3600, 40, 1, 1 / 24]);
});
