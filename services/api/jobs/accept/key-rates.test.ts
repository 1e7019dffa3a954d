import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../../../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../../../test/support/settable-clock.ts';
import { createKeyRates, type KeyRates } from './key-rates.ts';

describe('the rate limit of a key', () => {
  let clock: SettableClock;
  let reported: [string, number][][];
  /** Number of jobs that all other processes have accepted in total. */
  let others: number;
  let rates: KeyRates;
  beforeEach(() => {
    clock = createSettableClock();
    [reported, others] = [[], 0];
    const exchange = (submitted: ReadonlyMap<string, number>) => {
      reported.push([...submitted]);
      return Promise.resolve(new Map([['a', others]]));
    };
    rates = createKeyRates({ exchange, clock, logger: pino({ level: 'silent' }) });
    rates.start();
  });
  afterEach(() => rates.stop());

  const taken = (wanted: number, perSecond = 100) =>
    Array.from({ length: wanted }, () => rates.take('a', perSecond)).filter((wait) => wait === undefined).length;

  it('allows the jobs of one second at once, and as many again each second, and returns the time to wait', async () => {
    expect(taken(300)).toBe(100);
    expect(rates.take('a', 100)).toBe(1);
    await passTime(clock, 500);
    expect(taken(300)).toBe(50);
  });

  it('is reduced by the use of other processes, but never to zero', async () => {
    taken(1);
    await passTime(clock, 1000);
    for (const each of [70, 140, 210]) {
      others = each;
      await passTime(clock, 1000);
    }
    expect(taken(300)).toBe(30);
    others = 10_000;
    await passTime(clock, 1000);
    expect(taken(300)).toBe(5);
  });

  it('counts no jobs that were not stored, even if they were already exchanged', async () => {
    expect(taken(100)).toBe(100);
    rates.refund('a', 10);
    expect(taken(300)).toBe(10);
    await passTime(clock, 1000);
    rates.refund('a', 3);
    await passTime(clock, 1000);
    expect(reported.at(-2)).toEqual([['a', 100]]);
    expect(reported.at(-1)).toEqual([['a', -3]]);
  });

  it('is not exchanged while no key submits jobs, and is dropped for keys that are not used', async () => {
    await passTime(clock, 5000);
    expect(reported).toEqual([]);
    taken(1);
    await passTime(clock, 62_000);
    const exchanges = reported.length;
    await passTime(clock, 5000);
    expect(reported).toHaveLength(exchanges);
  });
});
