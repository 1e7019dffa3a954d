import { describe, expect, it } from 'vitest';
import { progress } from '../../../testing/live-run.ts';
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

describe('another pace', () => {
  it('that is slower moves the end by what is not fed yet, and slows no call down', () => {
    expect(words(paceEffect(progress, 5, moment))).toBe(
      'Ends about 20:43 instead of 19:51: the 18,900 users not fed yet need 1 h 3 min. What is being called is not slowed down.',
    );
  });

  it('that is faster says how soon at the earliest: endpoints decide', () => {
    expect(words(paceEffect(progress, 100, moment))).toBe(
      'Ends 19:43 at the earliest instead of 19:51: the 18,900 users not fed yet need 3 min 9 s. Endpoints may be slower than that.',
    );
  });

  it('changes nothing where everybody is fed', () => {
    const fed = { ...progress, audience: { ...progress.audience, complete: true } };
    expect(words(paceEffect(fed, 5, moment))).toBe('Everybody is fed: a pace changes nothing any more.');
  });

  it('has no end where nobody knows how many are to come, or the run is paused', () => {
    const unknown = { ...progress, audience: { ...progress.audience, estimated: null } };
    expect(words(paceEffect(unknown, 5, moment))).toMatch(
      /^It counts for whoever is not fed yet; nobody knows how many/,
    );
    expect(words(paceEffect({ ...progress, state: 'paused' }, 5, moment))).toMatch(
      /^The 18,900 users .* at that pace\./,
    );
  });
});

describe('another deadline', () => {
  const endMs = expectedEndMs(progress, 20, nowMs);
  it('is measured against the end with the pace above it', () => {
    expect(endMs).toBe(nowMs + 945_000);
    const later = { isChanged: true, endMs, nowMs };
    expect(words(deadlineEffect(nowMs + 1_245_000, later))).toBe(
      '20 min 45 s from now, 5 min after the end above; whoever waits then ends as expired.',
    );
  });

  it('warns where the run would not be done, or that has passed', () => {
    const asked = { isChanged: true, endMs, nowMs };
    expect(deadlineEffect(nowMs + 45_000, asked).warning).toMatch(/^15 min before the end above/);
    expect(deadlineEffect(nowMs - 1, asked).warning).toMatch(/^Has passed/);
  });
});

describe('other limits', () => {
  it('say what a share of failed users is of, and warn where it is passed already', () => {
    const big = { ...progress, settings: { ...progress.settings, pauseAtFailedMinUsers: 100 } };
    expect(words(failedEffect(big, 3))).toBe(
      'Above 3 % of a step’s users, judged once 100 have ended it since it was resumed last. So far 14 of 600 in step 1, 2.3 %.',
    );
    expect(failedEffect(big, 2).warning).toBe('It would pause within seconds.');
    expect(failedEffect(progress, 2).warning).toBeUndefined();
  });

  it('say how many turns a priority is', () => {
    expect(words(priorityEffect('high'))).toMatch(/^Four turns where low has one/);
  });
});

describe('another budget', () => {
  const budget = { country: 'VN', units: 9000, used: 8900, reserved: 90, left: 10, money: null, waitingBatches: 2 };
  const wait = { ...progress.waits[0], country: 'VN', step: 1, by: 'budget' as const };
  const [sg, vn] = progress.countries;
  if (!sg || !vn) throw new Error('the run has two countries');
  const pending = vn.steps.map((line) => ({ ...line, pending: 4784 }));
  const waiting = {
    countries: [sg, { ...vn, steps: pending }],
    waits: [
      { ...{ action: 'award-reward', cause: 'budget: x', since: progress.asOf, batches: 2, held: false }, ...wait },
    ].map((each) => ({ ...each, nextTryAt: null, blockedBy: null, timeoutMs: null, nextStep: '' })),
  };
  const of = (units: number | undefined, raisableTo: number | null = null) =>
    words(
      budgetEffect(waiting, {
        budget,
        wanted: units === undefined ? undefined : { units },
        raisableTo: raisableTo === null ? null : { units: raisableTo },
      }),
    );

  it('tells how many units there would be for those who wait', () => {
    expect(of(20_000)).toBe('VN goes on. 11,010 units left for the 4,784 who wait.');
    expect(of(undefined)).toBe('Unchanged. 10 units left for the 4,784 who wait.');
  });

  it('says from where on it needs an approval', () => {
    expect(of(20_000, 10_000)).toMatch(/Above 10,000 it needs an approval/);
    expect(of(10_000, 10_000)).toMatch(/^VN goes on\./);
  });

  it('is told in its currency where it is in money', () => {
    const money = { currency: 'EUR', amount: '5000.00', used: '4990.00', reserved: '5.00', left: '5.00' };
    const inMoney = { country: 'VN', units: null, used: null, reserved: null, left: null, money, waitingBatches: 2 };
    const effect = (wanted: object | undefined) =>
      words(budgetEffect(waiting, { budget: inMoney, wanted, raisableTo: { amount: '6000.00', currency: 'EUR' } }));
    expect(effect({ amount: '5500.50', currency: 'EUR' })).toBe('VN goes on. 505.50 EUR left for the 4,784 who wait.');
    expect(effect({ amount: '7000', currency: 'EUR' })).toMatch(/Above 6,000.00 EUR it needs an approval/);
    expect(effect(undefined)).toBe('Unchanged. 5.00 EUR left for the 4,784 who wait.');
  });

  it('warns below what is used and reserved', () => {
    expect(of(8000)).toMatch(/Less than the 8,990 used and reserved/);
  });
});
