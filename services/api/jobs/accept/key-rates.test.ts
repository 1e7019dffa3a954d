import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../../../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../../../test/support/settable-clock.ts';
import { createKeyRates, type KeyRates } from './key-rates.ts';

describe('the rate of a key', () => {
  let clock: SettableClock;
  let told: [string, number][][];
  /** What all other processes have brought in all. */
  let others: number;
  let rates: KeyRates;
  beforeEach(() => {
    clock = createSettableClock();
    [told, others] = [[], 0];
    const exchange = (brought: ReadonlyMap<string, number>) => {
      told.push([...brought]);
      return Promise.resolve(new Map([['a', others]]));
    };
    rates = createKeyRates({ exchange, clock, logger: pino({ level: 'silent' }) });
    rates.start();
  });
  afterEach(() => rates.stop());

  const taken = (wanted: number, perSecond = 100) =>
    Array.from({ length: wanted }, () => rates.take('a', perSecond)).filter((wait) => wait === undefined).length;

  it('is a second’s worth at once, so much again each second, and says when to come again', async () => {
    expect(taken(300)).toBe(100);
    expect(rates.take('a', 100)).toBe(1);
    await passTime(clock, 500);
    expect(taken(300)).toBe(50);
  });

  it('is what the other processes leave of it, and never nothing', async () => {
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

  it('gets back what was not stored, also after it was told', async () => {
    expect(taken(100)).toBe(100);
    rates.giveBack('a', 10);
    expect(taken(300)).toBe(10);
    await passTime(clock, 1000);
    rates.giveBack('a', 3);
    await passTime(clock, 1000);
    expect(told.at(-2)).toEqual([['a', 100]]);
    expect(told.at(-1)).toEqual([['a', -3]]);
  });

  it('asks nothing while no key with a rate brings anything, and forgets one that has stopped', async () => {
    await passTime(clock, 5000);
    expect(told).toEqual([]);
    taken(1);
    await passTime(clock, 62_000);
    const asked = told.length;
    await passTime(clock, 5000);
    expect(told).toHaveLength(asked);
  });
});
