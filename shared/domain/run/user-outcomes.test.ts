import { describe, expect, it } from 'vitest';
import type { EarlierRows } from './earlier-outcomes.ts';
import { endOf, stepsOfUsers } from './user-outcomes.ts';

const batch = { batchNo: 1, parent: null, fromStep: 1, users: ['u1', 'u2'] };
const all = (rows: Partial<EarlierRows>, chainLength = 3) =>
  stepsOfUsers({ batches: [batch], rests: [], failures: [], ...rows }, chainLength).map(({ user, steps }) => [
    user,
    ...steps,
  ]);
const done = (step: number, rest: 'succeeded' | 'expired' | 'cancelled' = 'succeeded', batchNo = 1) => ({
  batchNo,
  step,
  rest,
});

describe('the steps of a user', () => {
  it('are pending from the first step that has not ended', () => {
    expect(all({ rests: [done(1)] })).toEqual([
      ['u1', 'succeeded', 'pending', 'pending'],
      ['u2', 'succeeded', 'pending', 'pending'],
    ]);
  });

  it('are cancelled from the step in which the user was cancelled', () => {
    expect(all({ rests: [done(1), done(2, 'cancelled')] })[0]).toEqual(['u1', 'succeeded', 'cancelled', 'cancelled']);
  });

  it('are skipped after a failure, for that user only', () => {
    const failures = [{ step: 1, user: 'u2', outcome: 'failed' as const }];
    expect(all({ rests: [done(1), done(2), done(3, 'expired')], failures })).toEqual([
      ['u1', 'succeeded', 'succeeded', 'expired'],
      ['u2', 'failed', 'skipped', 'skipped'],
    ]);
  });

  it('are skipped after a step that was settled as succeeded after the run', () => {
    const failures = [{ step: 1, user: 'u1', outcome: 'succeeded' as const }];
    expect(all({ rests: [done(1), done(2)], failures }, 2)[0]).toEqual(['u1', 'succeeded', 'skipped']);
  });

  it('follow the user into a child batch', () => {
    const child = { batchNo: 2, parent: 1, fromStep: 2, users: ['u2'] };
    expect(all({ batches: [batch, child], rests: [done(1), done(2), done(2, 'expired', 2)] }, 2)).toEqual([
      ['u1', 'succeeded', 'succeeded'],
      ['u2', 'succeeded', 'expired'],
    ]);
  });

  it('are absent before the step that the user began with', () => {
    expect(all({ batches: [{ ...batch, fromStep: 2 }], rests: [done(2)] }, 2)[0]).toEqual(['u1', null, 'succeeded']);
  });
});

describe('the outcomes of users of one batch', () => {
  it('are one object for users with equal outcomes, with or without rows of their own', () => {
    const users = ['u1', 'u2', 'u3', 'u4'];
    const failures = ['u2', 'u4'].map((user) => ({ step: 1, user, outcome: 'failed' as const }));
    const rows = { batches: [{ ...batch, users }], rests: [done(1)], failures };
    const [first, second, third, fourth] = stepsOfUsers(rows, 1).map(({ steps }) => steps);
    expect(first).toEqual(['succeeded']);
    expect(third).toBe(first);
    expect(second).toEqual(['failed']);
    expect(fourth).toBe(second);
  });
});

describe("the end of a user's chain", () => {
  it('is the first step that did not succeed, or the last step', () => {
    expect(endOf(['succeeded', 'failed', 'skipped'])).toEqual({ step: 2, outcome: 'failed' });
    expect(endOf([null, 'succeeded', 'expired'])).toEqual({ step: 3, outcome: 'expired' });
    expect(endOf(['succeeded', 'succeeded'])).toEqual({ step: 2, outcome: 'succeeded' });
  });

  it('is the outcome of one step, if that step is given', () => {
    expect(endOf(['succeeded', 'failed', 'skipped'], 3)).toEqual({ step: 3, outcome: 'skipped' });
    expect(endOf(['succeeded'], 2)).toEqual({ step: 2, outcome: 'skipped' });
  });
});
