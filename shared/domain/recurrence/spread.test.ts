import { describe, expect, it } from 'vitest';
import { spreadDelayMs } from './spread.ts';

describe('the spread of a schedule', () => {
  const delays = Array.from({ length: 1000 }, (_, index) => spreadDelayMs('schedule', `group ${index}`, 60_000));

  it('is the same for the same schedule and group, and differs for other schedules and groups', () => {
    expect(spreadDelayMs('schedule', 'SG', 60_000)).toBe(spreadDelayMs('schedule', 'SG', 60_000));
    expect(spreadDelayMs('schedule', 'SG', 60_000)).not.toBe(spreadDelayMs('other', 'SG', 60_000));
  });

  it('covers its configured time evenly and stays below that time', () => {
    const byTen = Array.from({ length: 6 }, (_, ten) => delays.filter((ms) => Math.floor(ms / 10_000) === ten).length);
    expect(Math.min(...byTen)).toBeGreaterThan(120);
    expect(Math.max(...delays)).toBeLessThan(60_000);
  });

  it('is 0 if none is configured', () => {
    expect(spreadDelayMs('schedule', 'SG', 0)).toBe(0);
  });
});
