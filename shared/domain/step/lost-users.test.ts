import { describe, expect, it } from 'vitest';
import { digestOfLost } from './lost-users.ts';

describe('the digest of lost users', () => {
  it('is the same in whatever order they were lost', () => {
    expect(digestOfLost(['u2', 'u10', 'u1'])).toBe(digestOfLost(['u1', 'u2', 'u10']));
  });

  it('is null where nobody was lost', () => {
    expect(digestOfLost([])).toBeNull();
  });

  it.each([
    [['u1'], ['u2']],
    [['u1'], ['u1', 'u2']],
    [['a,b'], ['a', 'b']],
    [
      ['a"', 'b'],
      ['a', '"b'],
    ],
    [['u1'], ['u1', 'u1']],
  ])('tells %j from %j', (some, others) => {
    expect(digestOfLost(some)).not.toBe(digestOfLost(others));
  });

  it('stays what it is: rows of an older version are compared with it', () => {
    expect(digestOfLost(['u2', 'u1'])).toBe('8T27V0ZnXPAA10wz');
  });
});
