import { expect, it } from 'vitest';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { wreakHavoc } from './chaos.ts';

it('wreakHavoc kills one process after another, every 5 s, until it is stopped', async () => {
  const clock = createSettableClock();
  const killed: string[] = [];
  const ending = new AbortController();
  const over = wreakHavoc({ clock, names: ['a', 'b'], kill: (name) => killed.push(name), signal: ending.signal });
  for (let second = 0; second < 15; second++) {
    clock.advance(1000);
    await Promise.resolve();
    await Promise.resolve();
  }
  expect(killed).toEqual(['a', 'b', 'a']);
  ending.abort();
  await over;
  expect(killed).toHaveLength(3);
});
