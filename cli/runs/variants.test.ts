import { describe, expect, test } from 'vitest';
import type { RateDifference, RunVariant } from '../../sdk/generated/types.gen.ts';
import { createPaint } from '../show/paint.ts';
import { renderBars, renderProgressLine } from './progress.ts';
import { renderReport } from './report.ts';
import { lineOf, progressOf, reportOf } from './sample-run.ts';

const plain = createPaint(false);
const messages = { step: 1, action: 'send-message' };
const receipts = (delivered: number, undelivered: number) => ({ delivered, undelivered, unexpected: 0, awaiting: 0 });

const lines = [
  lineOf({ ...messages, audience: 5012, succeeded: 4900, failed: 112, receipts: receipts(4700, 200) }),
  lineOf({ ...messages, audience: 4988, succeeded: 4890, failed: 98, receipts: receipts(4850, 40) }),
];
const variants: RunVariant[] = lines.map((line, index) => ({
  name: index === 0 ? 'A' : 'B',
  weight: 5000,
  users: line.audience,
  heldOut: 0,
  steps: [line],
}));
const steps = [lineOf({ ...messages, audience: 10_000, succeeded: 9790, failed: 210, receipts: receipts(9550, 240) })];

const base = { step: 1, action: 'send-message', of: 'B', against: 'A', users: 4988 } as const;
const differences: RateDifference[] = [
  {
    ...base,
    rate: 'succeeded',
    difference: 0.0027,
    low: -0.0029,
    high: 0.0083,
    neededUsers: 43_300,
    verdict: 'too-few-users',
  },
  { ...base, rate: 'delivered', difference: 0.0326, low: 0.0264, high: 0.0391, neededUsers: 300, verdict: 'higher' },
];
const audience = { estimated: 10_000, counted: 10_000, excluded: 0, complete: true };

describe('the report of a run with variants', () => {
  test('says which variant all users outside the canary get, or how one is chosen', () => {
    const choice = { options: ['A', 'B'], chosen: null };
    const textOf = (fields: object) => renderReport(reportOf({ audience, steps, variants, ...fields }), plain);
    expect(textOf({ variantChoice: choice, canary: 'waits' })).toContain(
      '  all users outside the canary get A or B, when one is chosen: muster run resume run_1 --variant <name>\n',
    );
    expect(textOf({ variantChoice: choice, undecidedUsers: 8000 })).toContain(
      '  8,000 users outside the canary get A or B, when one is chosen\n',
    );
    expect(textOf({ variantChoice: { ...choice, chosen: 'B' }, canary: 'over' })).toContain(
      '  all users outside the canary get the chosen variant B\n',
    );
    expect(textOf({})).not.toContain('canary');
  });

  test('lists the figures of each variant, and the differences in words', () => {
    const text = renderReport(reportOf({ audience, steps, variants, differences }), plain);
    expect(`\n${text}`).toMatchInlineSnapshot(`
      "
        Lapsed riders
        run_1 · completed with failures · in 22 s · 1 batches

        step   country   audience   succeeded   failed   skipped
               all         10,000       9,790      210         0

        receipts         country   accepted   delivered   undelivered   awaiting
        1 send-message   all          9,790       9,550           240          0

        step             variant   audience   succeeded   failed   skipped   delivered   undelivered   awaiting
        1 send-message   A 50 %       5,012       4,900      112         0       4,700           200          0
                         B 50 %       4,988       4,890       98         0       4,850            40          0

        1 send-message succeeded: B − A +0.3 points, between −0.3 and +0.8: not enough users yet, 43,300 needed in each, 4,988 so far
        1 send-message delivered: B − A +3.3 points, between +2.6 and +3.9: B is higher

        ✔ balances: each of the 10,000 users has exactly one outcome in every step and country
      "
    `);
  });

  test('has columns for rare outcomes only if a user of a variant has them', () => {
    const [a] = variants;
    if (!a) return expect.fail();
    const held = { ...a, steps: a.steps.map((line) => ({ ...line, heldOut: 12 })) };
    const headOf = (text: string) => text.split('\n').find((line) => line.includes('variant '));
    expect(headOf(renderReport(reportOf({ audience, steps, variants: [held] }), plain))).toContain('held out');
    expect(headOf(renderReport(reportOf({ audience, steps, variants }), plain))).not.toContain('held out');
  });

  test('lists the cost of each variant', () => {
    const cost = { currency: 'SGD', units: 9800, amount: '490.00', steps: [], countries: [] };
    const costed = variants.map((variant) => ({ ...variant, cost }));
    expect(renderReport(reportOf({ audience, steps, variants: costed }), plain)).toContain(
      '  cost by variant: A 9,800 units, SGD 490.00 · B 9,800 units, SGD 490.00',
    );
  });

  test.each([
    ['lower', -0.05, 'B is lower'],
    ['no-difference', 0, 'no difference that matters'],
  ] as const)('states the verdict %s in words', (verdict, difference, words) => {
    const found = {
      ...base,
      rate: 'succeeded',
      low: difference - 0.004,
      high: difference + 0.004,
      neededUsers: null,
    } as const;
    const text = renderReport(
      reportOf({ audience, steps, variants, differences: [{ ...found, difference, verdict }] }),
      plain,
    );
    expect(text).toContain(words);
  });

  test('states that equal rates need more users', () => {
    const equal = { ...base, rate: 'succeeded', difference: 0, low: -0.02, high: 0.02, neededUsers: null } as const;
    const text = renderReport(
      reportOf({ audience, steps, variants, differences: [{ ...equal, verdict: 'too-few-users' }] }),
      plain,
    );
    expect(text).toContain('B − A 0 points, between −2.0 and +2.0: not enough users yet, the rates are equal so far');
  });
});

describe('the progress of a run with variants', () => {
  const view = { progress: progressOf({ steps, variants }), rates: [0], elapsedSeconds: 5 };

  test('has one line for all variants', () => {
    expect(renderBars(view, 100, plain)).toContain('  variants A 4,900 of 5,012 · B 4,890 of 4,988 through');
    expect(renderProgressLine(view)).toContain('  A 4,900 of 5,012 · B 4,890 of 4,988 through');
  });

  test('leaves out the held-out users', () => {
    const held = variants.map((variant) => ({ ...variant, heldOut: 12 }));
    const { steps: bars } = view.progress;
    expect(renderBars({ ...view, progress: progressOf({ steps: bars, variants: held }) }, 100, plain)).toContain(
      '  variants A 4,900 of 5,000 · B 4,890 of 4,976 through',
    );
  });
});
