import { describe, expect, it } from 'vitest';
import type { StepLine } from '#client/types.gen.ts';
import { requestableLines, countriesOf, filterLines, unknownLines, unknownUsers } from './unknown-lines.ts';

function line(step: number, unknown: number): StepLine {
  return {
    step,
    action: `action-${step}`,
    audience: 100,
    succeeded: 100 - unknown,
    failed: 0,
    skipped: 0,
    suppressed: 0,
    heldOut: 0,
    expired: 0,
    cancelled: 0,
    unknown,
    pending: 0,
  };
}

const country = (code: string, ...unknown: number[]) => ({
  country: code,
  audience: 100,
  excluded: 0,
  steps: unknown.map((users, index) => line(index + 1, users)),
});

const lines = unknownLines({
  steps: [line(1, 12), line(2, 0), line(3, 4)],
  countries: [country('SG', 3, 0, 4), country('VN', 9, 0, 0)],
});

describe('users with an unknown outcome', () => {
  it('are counted by step and country, most users first', () => {
    expect(lines.map(({ step, users, countries }) => [step, users, countries])).toEqual([
      [
        1,
        12,
        [
          { country: 'VN', users: 9 },
          { country: 'SG', users: 3 },
        ],
      ],
      [3, 4, [{ country: 'SG', users: 4 }]],
    ]);
    expect(unknownUsers(lines)).toBe(16);
    expect(countriesOf(lines)).toEqual(['SG', 'VN']);
  });

  it('can be queried if the action has a status endpoint', () => {
    const types = [
      { name: 'action-1', class: 'D' as const },
      { name: 'action-3', class: 'C' as const },
    ];
    expect(requestableLines(lines, types).map(({ step }) => step)).toEqual([3]);
  });

  it('are filtered by step and country', () => {
    const users = (step: number | null, of: string | null) => unknownUsers(filterLines(lines, { step, country: of }));
    expect([users(null, null), users(1, null), users(null, 'SG'), users(1, 'SG'), users(3, 'VN')]).toEqual([
      16, 12, 7, 3, 0,
    ]);
  });
});
