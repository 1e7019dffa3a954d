import { expect, test } from 'vitest';
import { calendar } from '../../../testing/campaigns/calendar.ts';
import { actionsOf, loadOf } from './expected-load.ts';

const hourMs = 3_600_000;
const from = Date.parse(calendar.from);
const friday = from + 4 * 24 * hourMs;

test('the users of a start are distributed over its duration', () => {
  const { hours, peak } = loadOf(calendar, 'send-message');
  expect(hours).toHaveLength(168);
  const at = (hour: number) => hours.find(({ fromMs }) => fromMs === friday + hour * hourMs)?.usersPerSecond;
  // 3,240,000 users in six hours, and at the same time 720,000 users in two hours.
  expect([at(-1), at(0), at(1), at(2), at(3), at(6)]).toEqual([0, 150, 250, 250, 150, 0]);
  expect(peak).toBe(250);
  const users = hours.reduce((sum, { usersPerSecond }) => sum + usersPerSecond * 3600, 0);
  expect(Math.round(users)).toBe(93_200 * 2 + 3_240_000 + 720_000);
});

test('two campaigns above the capacity clash; a single or an ended one does not', () => {
  const [clash, ...others] = loadOf(calendar, 'send-message').clashes;
  expect(others).toEqual([]);
  expect(clash).toEqual({
    fromMs: friday + hourMs,
    untilMs: friday + 3 * hourMs,
    usersPerSecond: 250,
    campaignIds: new Set(['cmp_late', 'cmp_friday']),
    // The waiting users are called before the longer of the two campaigns ends anyway.
    plannedMs: friday + 6 * hourMs,
    doneMs: friday + 6 * hourMs,
  });
  const capacities = [{ action: 'send-message', usersPerSecond: 100, by: 'limit' as const }];
  const alone = { ...calendar, capacities, items: calendar.items.filter(({ name }) => name.startsWith('Late')) };
  expect(loadOf(alone, 'send-message').clashes).toEqual([]);
  const later = { ...calendar, asOf: '2026-11-28T00:00:00.000Z' };
  expect(loadOf(later, 'send-message').clashes).toEqual([]);
});

test('load above the capacity is moved to a later time, with its expected end', () => {
  const capacities = [{ action: 'send-message', usersPerSecond: 180, by: 'limit' as const }];
  const [clash] = loadOf({ ...calendar, capacities }, 'send-message').clashes;
  // The load is 70 users/s too high for two hours, then 30 users/s too low for three hours. 180,000 users are left at
  // the planned end.
  expect(clash).toMatchObject({ plannedMs: friday + 6 * hourMs, doneMs: friday + 6 * hourMs + 1_000_000 });
});

test('campaigns do not clash if the capacity is unknown', () => {
  const load = loadOf({ ...calendar, capacities: [] }, 'send-message');
  expect([load.capacity, load.clashes, load.peak]).toEqual([undefined, [], 250]);
});

test('action types are sorted by their number of starts', () => {
  expect(actionsOf(calendar.items)).toEqual(['send-message', 'award-points']);
});
