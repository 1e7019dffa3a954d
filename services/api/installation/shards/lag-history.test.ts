import { expect, it } from 'vitest';
import { createLagHistory } from './lag-history.ts';

const atMs = Date.UTC(2026, 0, 1);

it('the lag history keeps the last value of each half minute for 15 minutes', () => {
  const history = createLagHistory();
  history.add('a.SG', atMs, 1);
  history.add('a.SG', atMs + 29_000, 2);
  history.add('a.SG', atMs + 60_000, 3);
  history.add('b.SG', atMs, 9);

  const seen = history.of('a.SG', atMs + 60_000);
  expect(seen).toHaveLength(30);
  expect(seen.slice(-4)).toEqual([null, 2, null, 3]);
});

it('the lag history drops older values, and is empty for a shard that was never read', () => {
  const history = createLagHistory();
  history.add('a.SG', atMs, 1);
  history.add('a.SG', atMs + 900_000, null);
  expect(history.of('a.SG', atMs + 900_000).every((each) => each === null)).toBe(true);
  expect(history.of('b.SG', atMs)).toEqual([]);
});
