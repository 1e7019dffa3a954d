import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createDiskWatch } from './disk-watch.ts';

describe('the disk check of the database', () => {
  function started() {
    const clock = createSettableClock();
    let refusals = 0;
    const watch = createDiskWatch(clock, { add: (count = 1) => void (refusals += count) });
    return { clock, watch, refusals: () => refusals };
  }

  it('fails for 30 s after the last write that was refused for a full disk', () => {
    const { clock, watch, refusals } = started();
    watch.require();
    watch.noteRefusal();
    clock.advance(20_000);
    watch.noteRefusal();
    clock.advance(29_999);
    expect(() => watch.require()).toThrow('the disk of the database is full: it refused to write 29 s ago');
    clock.advance(1);
    watch.require();
    expect(refusals()).toBe(2);
  });
});
