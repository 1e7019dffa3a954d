import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createKeyRefusals, maxCounted, type CountedRefusals, type KeyRefusalsCounter } from './key-refusals.ts';

describe('requests with keys that have ended', () => {
  const clock = createSettableClock();
  let written: (readonly CountedRefusals[])[];
  let isAway: boolean;
  let refusals: KeyRefusalsCounter;

  beforeEach(async () => {
    [written, isAway] = [[], false];
    const write = (counted: readonly CountedRefusals[]) => {
      if (isAway) return Promise.reject(new Error('the database is away'));
      written.push(counted);
      return Promise.resolve();
    };
    refusals = createKeyRefusals({ write, clock, logger: pino({ level: 'silent' }) });
    refusals.start();
    await passTime(clock, 60_000);
  });
  afterEach(() => refusals.stop());

  it('are written when the first comes, and then once a minute at most', async () => {
    for (let second = 0; second < 150; second++) {
      refusals.note('a', `::ffff:10.0.0.${second}`);
      await passTime(clock, 1000);
    }
    expect(written.map(([first]) => first?.count)).toEqual([1, 59, 60]);
    expect(written.at(-1)?.[0]?.lastFrom).toBe('10.0.0.119');
  });

  it('write nothing while none comes', async () => {
    await passTime(clock, 7_200_000);
    expect(written).toEqual([]);
  });

  it('are counted of so many keys and no more, whatever comes', async () => {
    await passTime(clock, 1000);
    refusals.note('first', null);
    await passTime(clock, 1000);
    for (let number = 0; number < 2 * maxCounted; number++) refusals.note(`key ${number}`, null);
    refusals.note('key 0', null);
    await passTime(clock, 60_000);
    expect(written.at(-1)).toHaveLength(maxCounted);
    expect(written.at(-1)?.[0]).toMatchObject({ key: 'key 0', count: 2 });
  });

  it('are not lost while the database is away, nor when the process stops', async () => {
    isAway = true;
    refusals.note('a', '10.0.0.1');
    await passTime(clock, 1000);
    refusals.note('a', '10.0.0.2');
    await passTime(clock, 1000);
    isAway = false;
    await refusals.stop();
    expect(written).toEqual([[{ key: 'a', count: 2, lastAgoMs: 1000, lastFrom: '10.0.0.2' }]]);
  });
});
