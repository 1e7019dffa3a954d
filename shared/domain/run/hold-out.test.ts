import { createHash } from 'node:crypto';
import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { isHeldOut } from './hold-out.ts';

const users = Array.from({ length: 20_000 }, (_, i) => `user-${i}`);

describe('the hold-out decision', () => {
  it('is always the same for a user and a seed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.nat(100), (user, seed, percent) => {
        return isHeldOut({ percent, seed }, user) === isHeldOut({ percent, seed }, user);
      }),
    );
  });

  it.each([1, 10, 50, 90])('holds out about %i percent', (percent) => {
    const held = users.filter((user) => isHeldOut({ percent, seed: 'december' }, user)).length;
    expect(held / users.length).toBeCloseTo(percent / 100, 1);
    expect(Math.abs(held - (users.length * percent) / 100)).toBeLessThan(300);
  });

  it('holds out no user at 0 % and all users at 100 %', () => {
    expect(users.filter((user) => isHeldOut({ percent: 0, seed: 's' }, user))).toEqual([]);
    expect(users.every((user) => isHeldOut({ percent: 100, seed: 's' }, user))).toBe(true);
  });

  it('holds out, at a larger percentage, all users that it holds out at a smaller one', () => {
    const held = (percent: number) => users.filter((user) => isHeldOut({ percent, seed: 's' }, user));
    const larger = new Set(held(20));
    expect(held(5).every((user) => larger.has(user))).toBe(true);
  });

  it('holds out other users with another seed', () => {
    const held = (seed: string) => new Set(users.filter((user) => isHeldOut({ percent: 10, seed }, user)));
    expect(held('a').intersection(held('b')).size).toBeLessThan(400);
  });

  it('follows the documented rule', () => {
    const digest = createHash('sha256').update('december\u0000user-1').digest('hex').slice(0, 12);
    const share = Number.parseInt(digest, 16) / 2 ** 48;
    expect(isHeldOut({ percent: share * 100 + 0.001, seed: 'december' }, 'user-1')).toBe(true);
    expect(isHeldOut({ percent: share * 100 - 0.001, seed: 'december' }, 'user-1')).toBe(false);
  });
});
