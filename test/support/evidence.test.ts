import { describe, expect, test } from 'vitest';
import type { StepLine } from '../../shared/domain/step/outcomes.ts';
import { violations, type Evidence } from './evidence.ts';

const nobody = { failed: 0, skipped: 0, suppressed: 0, heldOut: 0, expired: 0, cancelled: 0, unknown: 0, pending: 0 };

function line(step: number, over: Partial<StepLine>): StepLine {
  return { step, audience: 3, succeeded: 0, ...nobody, ...over };
}

/**
 * Returns evidence about three users: u1 has all effects, u2 failed in step 1, and u3 is unknown in step 2 although it
 * had the effect.
 */
function sound(over: Partial<Evidence> = {}): Evidence {
  return {
    audience: new Map([['SG', ['u1', 'u2', 'u3']]]),
    runState: 'completed_with_failures',
    lines: new Map([['SG', [line(1, { succeeded: 2, failed: 1 }), line(2, { succeeded: 1, skipped: 1, unknown: 1 })]]]),
    effects: [times({ u1: 1, u3: 1 }), times({ u1: 1, u3: 1 })],
    failures: [
      { user: 'u2', step: 1, country: 'SG', reason: 'out-of-stock', outcome: 'failed' },
      { user: 'u3', step: 2, country: 'SG', reason: 'muster.no-result', outcome: 'unknown' },
    ],
    appliedAgain: [0, 0],
    overlapping: [0, 0],
    ...over,
  };
}

function times(effects: Record<string, number>): Map<string, number> {
  return new Map(Object.entries(effects));
}

function lines(first: Partial<StepLine>, second: Partial<StepLine>): Evidence['lines'] {
  return new Map([
    [
      'SG',
      [line(1, { succeeded: 2, failed: 1, ...first }), line(2, { succeeded: 1, skipped: 1, unknown: 1, ...second })],
    ],
  ]);
}

test('the checker reports no violation for sound evidence', () => {
  expect(violations(sound())).toEqual([]);
});

describe('the checker reports', () => {
  test.each<[string, Partial<Evidence>, RegExp]>([
    ['a run that is still running', { runState: 'running' }, /^I1: the run is running/],
    ['a user that is pending', { lines: lines({}, { succeeded: 0, pending: 1 }) }, /^I1: 1 pending/],
    [
      'an effect that happened twice',
      { effects: [times({ u1: 2, u3: 1 }), times({ u1: 1, u3: 1 })] },
      /^I2: 2 effects for u1/,
    ],
    ['a key that was applied again', { appliedAgain: [1, 0] }, /^I2: 1 keys applied again in step 1/],
    ['two calls of one key at once', { overlapping: [0, 2] }, /^I2: 2 calls beside another/],
    [
      'a second step without the first',
      { effects: [times({ u1: 1, u3: 1 }), times({ u1: 1, u2: 1, u3: 1 })] },
      /^I3: effect for u2/,
    ],
    ['sums that do not add up', { lines: lines({ succeeded: 1 }, {}) }, /^I4: SG, step 1 does not balance/],
    [
      'a success without an effect',
      { effects: [times({ u1: 1, u3: 1 }), times({ u3: 1 })] },
      /^I4: 1 succeeded, 0 effects/,
    ],
    [
      'an audience that does not match',
      { lines: lines({ audience: 4, succeeded: 3 }, { audience: 4, succeeded: 2 }) },
      /^I4: audience 4 of 3/,
    ],
    ['a country without a report', { lines: new Map() }, /^I4: no lines for SG/],
    [
      'an effect outside of the audience',
      { effects: [times({ u1: 1, u3: 1, u9: 1 }), times({ u1: 1, u3: 1 })] },
      /^I5: effect for unexpected u9/,
    ],
    [
      'a failed user who had the effect',
      { effects: [times({ u1: 1, u2: 1, u3: 1 }), times({ u1: 1, u3: 1 })] },
      /^I6: u2 has 2 outcomes/,
    ],
    [
      'a failure without a reason',
      { failures: sound().failures.map((failure) => ({ ...failure, reason: '' })) },
      /^I6: u2 failed without a reason/,
    ],
    ['a failure that is not listed', { failures: sound().failures.slice(1) }, /^I4: 1 failed, 0 failures listed/],
    [
      'a user who was forgotten',
      {
        effects: [times({ u3: 1 }), times({ u3: 1 })],
        lines: lines({ succeeded: 1, skipped: 1 }, { succeeded: 0, skipped: 2 }),
      },
      /^I6: 1 users of SG, step 1 have no outcome/,
    ],
  ])('%s', (_what, broken, words) => {
    expect(violations(sound(broken)).filter((found) => words.test(found))).not.toEqual([]);
  });
});

describe('the allowances of a scenario', () => {
  test('permit a number of keys applied again and of concurrent calls', () => {
    const evidence = sound({ appliedAgain: [3, 0], overlapping: [1, 0] });
    expect(violations(evidence, { appliedAgain: 3, overlapping: 1 })).toEqual([]);
    expect(violations(evidence, { appliedAgain: 2, overlapping: 0 })).toHaveLength(2);
  });

  test('permit an expired run, in which users without an outcome are expired or were never fed', () => {
    const expired: Partial<Evidence> = {
      runState: 'expired',
      lines: new Map([
        [
          'SG',
          [line(1, { audience: 2, succeeded: 1, expired: 1 }), line(2, { audience: 2, succeeded: 1, skipped: 1 })],
        ],
      ]),
      effects: [times({ u1: 1 }), times({ u1: 1 })],
      failures: [],
    };
    expect(violations(sound(expired), { runStates: ['expired'] })).toEqual([]);
    expect(violations(sound(expired))).toEqual(['I1: the run is expired']);
  });
});
