import { describe, expect, it } from 'vitest';
import { progress } from '../../../../testing/runs/live-run.ts';
import {
  budgetEffect,
  deadlineEffect,
  expectedEndMs,
  failedEffect,
  paceEffect,
  priorityEffect,
  type LimitEffect,
} from './limit-effects.ts';

const nowMs = Date.parse('2026-11-22T19:40:00.000Z');
const moment = { nowMs, timeOf: (instant: string) => instant.slice(11, 16) };
const words = ({ lead = '', text, warning = '' }: LimitEffect) =>
  `${lead}${text}${warning === '' ? '' : ` ! ${warning}`}`;

describe('the effect of a changed pace', () => {
  it('is a later end for a slower pace, without slower calls', () => {
    expect(words(paceEffect(progress, 5, moment))).toBe(
      'Ends about 20:43 instead of 19:51: the 18,900 users not fed yet need 1 h 3 min. Calls in flight are not slowed down.',
    );
  });

  it('is the earliest possible end for a faster pace', () => {
    expect(words(paceEffect(progress, 100, moment))).toBe(
      'Ends 19:43 at the earliest instead of 19:51: the 18,900 users not fed yet need 3 min 9 s. Endpoints may be slower than that.',
    );
  });

  it('is nothing once all users are read from the audience', () => {
    const fed = { ...progress, audience: { ...progress.audience, complete: true } };
    expect(words(paceEffect(fed, 5, moment))).toBe('All users are fed already, so the pace has no effect.');
  });

  it('has no end if the number of further users is unknown or the run is paused', () => {
    const unknown = { ...progress, audience: { ...progress.audience, estimated: null } };
    expect(words(paceEffect(unknown, 5, moment))).toMatch(/^It applies to users not fed yet; their number is unknown/);
    expect(words(paceEffect({ ...progress, state: 'paused' }, 5, moment))).toMatch(
      /^The 18,900 users .* at that pace\./,
    );
  });
});

describe('the effect of a changed deadline', () => {
  const endMs = expectedEndMs(progress, 20, nowMs);
  it('is relative to the end at the typed pace', () => {
    expect(endMs).toBe(nowMs + 945_000);
    const later = { isChanged: true, endMs, nowMs };
    expect(words(deadlineEffect(nowMs + 1_245_000, later))).toBe(
      '20 min 45 s from now, 5 min after the end above; users who still wait then expire.',
    );
  });

  it('has a warning if the run would not be done by then or the time has passed', () => {
    const context = { isChanged: true, endMs, nowMs };
    expect(deadlineEffect(nowMs + 45_000, context).warning).toMatch(/^15 min before the end above/);
    expect(deadlineEffect(nowMs - 1, context).warning).toMatch(/^This time has passed/);
  });
});

describe('the effects of other limits', () => {
  it('describe the base of a failure limit and warn if it is exceeded already', () => {
    const big = { ...progress, settings: { ...progress.settings, pauseAtFailedMinUsers: 100 } };
    expect(words(failedEffect(big, 3))).toBe(
      'Above 3 % of a step’s users, checked once 100 users have ended the step since the last resume. So far 14 of 600 in step 1, 2.3 %.',
    );
    expect(failedEffect(big, 2).warning).toBe('It would pause within seconds.');
    expect(failedEffect(progress, 2).warning).toBeUndefined();
  });

  it('explain how many turns a priority gets', () => {
    expect(words(priorityEffect('high'))).toMatch(/^Four turns: runs in the same shards take turns, low one/);
  });
});

describe('the effect of a changed budget', () => {
  const budget = { country: 'VN', units: 9000, used: 8900, reserved: 90, left: 10, money: null, waitingBatches: 2 };
  const wait = { ...progress.waits[0], country: 'VN', step: 1, by: 'budget' as const };
  const [sg, vn] = progress.countries;
  if (!sg || !vn) throw new Error('the run has two countries');
  const pending = vn.steps.map((line) => ({ ...line, pending: 4784 }));
  const waiting = {
    countries: [sg, { ...vn, steps: pending }],
    waits: [{ action: 'award-reward', cause: 'budget: x', since: progress.asOf, batches: 2, held: false, ...wait }].map(
      (each) => ({ ...each, nextTryAt: null, blockedBy: null, timeoutMs: null, nextStep: '' }),
    ),
  };
  const effectOf = (units: number | undefined, raisableTo: number | null = null) =>
    words(
      budgetEffect(waiting, {
        budget,
        wanted: units === undefined ? undefined : { units },
        raisableTo: raisableTo === null ? null : { units: raisableTo },
      }),
    );

  it('is the number of units left for waiting users', () => {
    expect(effectOf(20_000)).toBe('VN continues. 11,010 units left for 4,784 waiting users.');
    expect(effectOf(undefined)).toBe('Unchanged. 10 units left for 4,784 waiting users.');
  });

  it('has a warning above the amount that needs an approval', () => {
    expect(effectOf(20_000, 10_000)).toMatch(/Above 10,000, the change needs an approval/);
    expect(effectOf(10_000, 10_000)).toMatch(/^VN continues\./);
  });

  it('is in the currency of a monetary budget', () => {
    const money = { currency: 'EUR', amount: '5000.00', used: '4990.00', reserved: '5.00', left: '5.00' };
    const inMoney = { country: 'VN', units: null, used: null, reserved: null, left: null, money, waitingBatches: 2 };
    const effect = (wanted: object | undefined) =>
      words(budgetEffect(waiting, { budget: inMoney, wanted, raisableTo: { amount: '6000.00', currency: 'EUR' } }));
    expect(effect({ amount: '5500.50', currency: 'EUR' })).toBe(
      'VN continues. 505.50 EUR left for 4,784 waiting users.',
    );
    expect(effect({ amount: '7000', currency: 'EUR' })).toMatch(/Above 6,000.00 EUR, the change needs an approval/);
    expect(effect(undefined)).toBe('Unchanged. 5.00 EUR left for 4,784 waiting users.');
  });

  it('has a warning below the used and reserved units', () => {
    expect(effectOf(8000)).toMatch(/Less than the 8,990 used and reserved/);
  });
});
