import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { endedUsers, isBalanced, isSettled, stepLines, sumLines, type StepTotals } from './outcomes.ts';

const nothing = { batches: 0, succeeded: 0, failed: 0, expired: 0, cancelled: 0, unknown: 0 };

describe('stepLines', () => {
  it('counts a user who failed in step 1 as skipped in step 2', () => {
    const [first, second] = stepLines(
      100,
      [
        { ...nothing, step: 1, succeeded: 98, failed: 2 },
        { ...nothing, step: 2, succeeded: 97, failed: 1 },
      ],
      2,
    );
    expect(first).toMatchObject({ succeeded: 98, failed: 2, skipped: 0, pending: 0 });
    expect(second).toMatchObject({ succeeded: 97, failed: 1, skipped: 2, pending: 0 });
  });

  it('counts users who have not reached step 2 as pending', () => {
    const [, second] = stepLines(100, [{ ...nothing, step: 1, succeeded: 60, failed: 5 }], 2);
    expect(second).toMatchObject({ skipped: 5, pending: 95 });
  });

  it('counts cancelled users as cancelled in every later step', () => {
    const lines = stepLines(10, [{ ...nothing, step: 1, succeeded: 4, cancelled: 6 }], 3);
    expect(lines.map((line) => [line.cancelled, line.skipped])).toEqual([
      [6, 0],
      [6, 0],
      [6, 0],
    ]);
  });

  it('counts held-out users in every step, and not as pending', () => {
    const totals = [1, 2].map((step) => ({ ...nothing, step, succeeded: 9 }));
    const lines = stepLines(10, totals, 2, 1);
    expect(lines.map((line) => [line.heldOut, line.skipped, line.pending])).toEqual([
      [1, 0, 0],
      [1, 0, 0],
    ]);
    expect(lines.every(isSettled)).toBe(true);
  });

  it('returns balanced lines for any history', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(50), { minLength: 5, maxLength: 5 }), { maxLength: 6 }), (history) => {
        let reached = history[0]?.reduce((a, b) => a + b, 0) ?? 0;
        const audience = reached;
        const totals: StepTotals[] = history.map((shares, index) => {
          const [failed = 0, expired = 0, cancelled = 0, unknown = 0] = shares.map((share) =>
            Math.min(share, Math.floor(reached / 5)),
          );
          const succeeded = Math.floor((reached - failed - expired - cancelled - unknown) / 2);
          reached = succeeded;
          return { step: index + 1, batches: 1, succeeded, failed, expired, cancelled, unknown };
        });
        return stepLines(audience, totals, history.length).every(
          (line) => isBalanced(line) && endedUsers(line) <= audience,
        );
      }),
    );
  });

  it('returns an unbalanced line if more users ended than the audience has', () => {
    const [line] = stepLines(10, [{ ...nothing, step: 1, succeeded: 11 }], 1);
    expect(line && isBalanced(line)).toBe(false);
  });
});

describe('isSettled', () => {
  it('returns false while a user is unknown', () => {
    const [line] = stepLines(10, [{ ...nothing, step: 1, succeeded: 9, unknown: 1 }], 1);
    expect(line && isSettled(line)).toBe(false);
  });

  it('returns true if every user has a known outcome', () => {
    const [line] = stepLines(10, [{ ...nothing, step: 1, succeeded: 9, failed: 1 }], 1);
    expect(line && isSettled(line)).toBe(true);
  });
});

describe('sumLines', () => {
  it('adds up the countries of a step', () => {
    const [sg] = stepLines(10, [{ ...nothing, step: 1, succeeded: 9, failed: 1 }], 1);
    const [id] = stepLines(20, [{ ...nothing, step: 1, succeeded: 10 }], 1);
    expect(sg && id && sumLines([sg, id])).toMatchObject({ audience: 30, succeeded: 19, failed: 1, pending: 10 });
  });
});
