import { describe, expect, it } from 'vitest';
import { readTypedLimits, formatLimits } from './limits.ts';

const zone = 'Asia/Singapore';
const now = formatLimits(
  {
    settings: { priority: 'normal', paceUsersPerSecond: 1200, pauseAtFailedPercent: 5, pauseAtFailedMinUsers: 1000 },
    deadlineAt: '2026-11-24T07:00:30.000Z',
    budgets: [{ country: 'VN', units: 402_200, used: 402_118, reserved: 0, left: 82, money: null, waitingBatches: 4 }],
  },
  zone,
);

describe('the limits of a run', () => {
  it('are formatted as typed, with times in the chosen zone', () => {
    expect(now).toEqual({
      pace: '1,200',
      deadline: '2026-11-24 15:00',
      priority: 'normal',
      failedPercent: '5',
      'budget VN': '402,200',
    });
  });

  it('are requested only if they differ', () => {
    const typed = { pace: '200', deadline: '2026-11-24 15:00', failedPercent: '5.0', 'budget VN': '880 600' } as const;
    expect(readTypedLimits(now, typed, zone)).toEqual({
      run: { paceUsersPerSecond: 200 },
      budgets: [{ country: 'VN', units: 880_600 }],
      problems: new Map(),
      count: 2,
    });
  });

  it('are removed by an empty field, and a deadline becomes an instant', () => {
    const typed = { pace: '', failedPercent: '', deadline: '2026-11-24 18:30', priority: 'high' } as const;
    expect(readTypedLimits(now, typed, zone).run).toEqual({
      paceUsersPerSecond: null,
      pauseAtFailedPercent: null,
      priority: 'high',
      deadlineAt: '2026-11-24T10:30:00.000Z',
    });
  });

  it('are problems at their fields if no request can express them', () => {
    const typed = { pace: 'slower', deadline: 'noon', 'budget VN': '' } as const;
    const { problems, run, budgets } = readTypedLimits(now, typed, zone);
    expect([...problems.keys()]).toEqual(['pace', 'deadline', 'budget VN']);
    expect({ run, budgets }).toEqual({ run: {}, budgets: [] });
  });
});
