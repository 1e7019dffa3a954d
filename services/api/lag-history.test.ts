import { expect, it } from 'vitest';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createLagHistory } from './lag-history.ts';

it('has what was seen last of each half minute, the newest at the end, and fifteen minutes at most', () => {
  const clock = createSettableClock();
  const history = createLagHistory({ clock });
  history.add('a', { seconds: 1, batches: 10 });
  history.add('a', { seconds: 2, batches: 20 });
  clock.advance(60_000);
  history.add('a', { seconds: null, batches: 30 });

  const { seconds, batches } = history.of('a');
  expect(batches).toHaveLength(30);
  expect(batches.slice(-3)).toEqual([20, null, 30]);
  expect(seconds.slice(-3)).toEqual([2, null, null]);
  expect(history.of('b').batches).toEqual(Array(30).fill(null));

  clock.advance(15 * 60_000);
  expect(history.of('a').batches).toEqual(Array(30).fill(null));
});
