import { describe, expect, it } from 'vitest';
import { renderRates } from './rates.ts';

const at = (seconds: number) => new Date(Date.parse('2026-11-24T01:00:00Z') + seconds * 1000).toISOString();

describe('the rates of a run on a terminal', () => {
  it('are drawn as bars over the time of the run, with the highest and the last rate', () => {
    const points = [
      { at: at(0), usersPerSecond: 700 },
      { at: at(50), usersPerSecond: 700 },
      { at: at(75), usersPerSecond: 0 },
      { at: at(100), usersPerSecond: 1400 },
    ];
    expect(renderRates({ points, notedSince: null }, 4)).toBe(
      [
        'users per second that ended a step, 2026-11-24 01:00 UTC to 2026-11-24 01:01 UTC',
        '▅▅▁█',
        'at most 1,400 at 2026-11-24 01:01 UTC, at last 1,400',
        '',
      ].join('\n'),
    );
  });

  it('name the start of the recording if it began after the run', () => {
    const points = [{ at: at(600), usersPerSecond: 0 }];
    expect(renderRates({ points, notedSince: at(600) }, 10)).toContain(
      'noted since 2026-11-24 01:10 UTC; before, only the mean is known',
    );
  });

  it('are reported as missing if none was recorded', () => {
    expect(renderRates({ points: [], notedSince: null }, 10)).toBe('nothing was noted of it yet\n');
  });
});
