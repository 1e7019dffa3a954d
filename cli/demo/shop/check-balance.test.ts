import { describe, expect, it } from 'vitest';
import { lineOf, reportOf } from '../../runs/sample-run.ts';
import { createPaint } from '../../show/paint.ts';
import { checkBalance, renderEqualities } from './check-balance.ts';

const report = reportOf({
  audience: { estimated: 100, counted: 1200, excluded: 0, complete: true },
  steps: [
    lineOf({ step: 1, action: 'award-points', audience: 1200, succeeded: 1160, failed: 40 }),
    lineOf({ step: 2, action: 'send-offer', audience: 1200, succeeded: 1140, failed: 20, skipped: 40 }),
  ],
});
const shop = { lapsed: 1200, credits: 1160, credited: 1160 };
const inbox = { mails: 1140, recipients: 1140 };

describe('the comparison of shop and inbox with the report of a campaign', () => {
  it('passes if the shop and the inbox have the same figures as the report', () => {
    const equalities = checkBalance(report, shop, inbox);
    expect(equalities.map(({ holds }) => holds)).toEqual([true, true, true, true, true]);
  });

  it.each([
    ['a customer the run did not serve', { ...shop, lapsed: 1201 }, inbox, /audience = .* has 1,200, .* are 1,201/],
    ['a customer credited twice', { ...shop, credits: 1161 }, inbox, /= credits .* has 1,160, .* are 1,161/],
    ['a customer not credited', { ...shop, credited: 1159 }, inbox, /= credited .* has 1,160, .* are 1,159/],
    ['a lost mail', shop, { mails: 1139, recipients: 1139 }, /= mails .* has 1,140, .* are 1,139/],
    ['a customer with two mails', shop, { mails: 1140, recipients: 1139 }, /= recipients .* has 1,140, .* are 1,139/],
  ])('fails with %s, and names both figures', (_name, shopFigures, inboxFigures, line) => {
    const text = renderEqualities(checkBalance(report, shopFigures, inboxFigures), createPaint(false));
    const wrong = text.split('\n').filter((each) => each.includes('✖'));
    expect(wrong.join('\n')).toMatch(line);
  });
});
