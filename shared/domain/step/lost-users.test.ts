import { describe, expect, it } from 'vitest';
import { digestOfLost } from './lost-users.ts';

describe('the digest of lost users', () => {
  it('does not depend on the order in which users were lost', () => {
    expect(digestOfLost(['u2', 'u10', 'u1'])).toBe(digestOfLost(['u1', 'u2', 'u10']));
  });

  it('is null without lost users', () => {
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
  ])('differs between %j and %j', (some, others) => {
    expect(digestOfLost(some)).not.toBe(digestOfLost(others));
  });

  it('is the same as in earlier releases, because it is compared with stored rows of earlier releases', () => {
    expect(digestOfLost(['u2', 'u1'])).toBe('8T27V0ZnXPAA10wz');
  });
});
