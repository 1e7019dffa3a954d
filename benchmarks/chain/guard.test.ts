import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { guard, guardedCommit } from './guard.ts';

const quiet = { name: '0 ms, 100 in flight', ratio: 1, quietRounds: 5 };

describe('the benchmark guard for the cost of a batch', () => {
  it.each([0.8, 1, 1.05])('accepts a cost ratio of %d if the limit is 5 %%', (ratio) => {
    expect(() => guard([{ ...quiet, ratio }], 5)).not.toThrow();
  });

  it('names each variant that exceeds the limit, with its extra cost in percent', () => {
    const dear = { ...quiet, name: '50 ms, 10 in flight', ratio: 1.0712 };
    expect(() => guard([quiet, dear, { ...quiet, ratio: 1.2 }], 5)).toThrow(
      '50 ms, 10 in flight: a batch costs 7.12 % more, at most 5 % is allowed\n' +
        '0 ms, 100 in flight: a batch costs 20 % more, at most 5 % is allowed',
    );
  });

  it('fails if other load disturbed too many rounds, even if the measured cost ratio is low', () => {
    expect(() => guard([{ ...quiet, quietRounds: 2, ratio: 0.5 }], 5)).toThrow(
      '0 ms, 100 in flight: 2 of 3 rounds were quiet enough to judge by',
    );
  });

  it('compares with a baseline commit that exists in the repository', () => {
    const subject = execFileSync('git', ['log', '-1', '--format=%s', guardedCommit()], { encoding: 'utf8' });
    expect(subject.trim()).not.toBe('');
  });
});
