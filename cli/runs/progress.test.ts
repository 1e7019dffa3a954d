import type { RunProgress } from '../../sdk/generated/types.gen.ts';
import { describe, expect, test } from 'vitest';
import { createPaint } from '../show/paint.ts';
import { renderBars, renderProgressLine } from './progress.ts';
import { createRateMeter } from './rate-meter.ts';
import { lineOf, progressOf } from './sample-run.ts';

const plain = createPaint(false);

const halfWay = progressOf({
  audience: { estimated: 125_000, counted: 90_000, excluded: 0, complete: false },
  steps: [
    lineOf({ audience: 90_000, succeeded: 61_250, failed: 1250 }),
    lineOf({ step: 2, action: 'send-message', audience: 90_000, succeeded: 30_000, failed: 300, skipped: 1250 }),
  ],
});

describe('progress of a run on a terminal', () => {
  test('has one line per step: bar, share of the expected audience, count, rate and time left', () => {
    const lines = renderBars({ progress: halfWay, rates: [6250, 4200], elapsedSeconds: 7 }, 100, plain);
    expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
        1 award-reward  ████████████████▓░░░░░░░░░░░░░░░░  50 %   62,500 of 125,000    6,250/s 10 s left
        2 send-message  ████████░░░░░░░░░░░░░░░░░░░░░░░░░  25 %   31,550 of 125,000    4,200/s 23 s left

      "
    `);
  });

  test('has a second bar for the receipts of an asynchronous step', () => {
    const [award, send] = halfWay.steps;
    if (!award || !send) throw new Error('there are two steps');
    const receipts = { delivered: 21_000, undelivered: 1500, unexpected: 0, awaiting: 7500 };
    const progress = { ...halfWay, steps: [award, { ...send, receipts }] };
    const view = { progress, rates: [6250, 4200], elapsedSeconds: 7 };
    expect(`\n${renderBars(view, 100, plain).join('\n')}\n`).toMatchInlineSnapshot(`
      "
        1 award-reward  ████████████████▓░░░░░░░░░░░░░░░░  50 %   62,500 of 125,000    6,250/s 10 s left
        2 send-message  ████████░░░░░░░░░░░░░░░░░░░░░░░░░  25 %   31,550 of 125,000    4,200/s 23 s left
          receipts      ███████████████████████▓▓░░░░░░░░  75 %   22,500 of  30,000    1,500 undelivered

      "
    `);
    expect(renderBars(view, 60, plain)[2]).toBe('    receipts       75 %    1,500 undelivered');
    expect(renderProgressLine(view)).toContain('4,200/s, receipts 21,000 delivered 1,500 undelivered)');
    const early = { delivered: 40_000, undelivered: 0, unexpected: 0, awaiting: -10_000 };
    const [, , ahead] = renderBars(
      { ...view, progress: { ...progress, steps: [award, { ...send, receipts: early }] } },
      100,
      plain,
    );
    expect(ahead).toContain('█'.repeat(33));
    expect(ahead).toContain('none undelivered');
  });

  test('has the same number of lines in every state, so that each frame overwrites the last', () => {
    const rates = [0, 0];
    const preparing = progressOf({ ...halfWay, state: 'preparing' });
    const stalled = progressOf({ ...halfWay, stalled: 'segmentation answers 503' });
    const heights = [halfWay, preparing, stalled].map(
      (progress) => renderBars({ progress, rates, elapsedSeconds: 0 }, 100, plain).length,
    );
    expect(new Set(heights).size).toBe(1);
  });

  test('shows why the run waits', () => {
    const progress = progressOf({ stalled: 'award-reward answers 401' });
    expect(renderBars({ progress, rates: [0], elapsedSeconds: 0 }, 100, plain).join('\n')).toContain('answers 401');
  });

  test.each([60, 80, 100, 200])('has no line wider than a terminal of %i columns', (columns) => {
    const progress = progressOf({ ...halfWay, stalled: 'x'.repeat(300) });
    const lines = renderBars({ progress, rates: [123_456, 123_456], elapsedSeconds: 0 }, columns, plain);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  test.each([
    [100, '  1 award-reward  ████████████████▓░░░░░░░░░░░░░░░░  50 %   62,500 of 125,000    6,250/s 10 s left'],
    [70, '  1 award-reward   50 %   62,500 of 125,000    6,250/s 10 s left'],
    [60, '  1 award-reward   50 %  6,250/s 10 s left'],
    [44, '  1 award-reward   50 %  6,250/s 10 s left'],
  ])('omits in %i columns first the bar, then the total, never the time left', (columns, line) => {
    const [first] = renderBars({ progress: halfWay, rates: [6250, 4200], elapsedSeconds: 7 }, columns, plain);
    expect(first).toBe(line);
  });

  test('shows waiting batches by step, country, cause and time', () => {
    const since = '2026-11-21T20:44:20.000Z';
    const wait = {
      step: 1,
      action: 'award-reward',
      country: 'SG',
      cause: 'endpoint says 405 Method Not Allowed',
      by: 'step' as const,
      since,
      batches: 11,
      held: false,
      nextTryAt: null,
      blockedBy: null,
      timeoutMs: 2000,
      nextStep: 'Set it right.',
    };
    const progress = progressOf({ stalled: 'x', waits: [wait, { ...wait, country: 'ID' }] });
    const line =
      'waits: step 1 award-reward in SG: endpoint says 405 Method Not Allowed, since 20:44:20 UTC, 11 batches (and 1 more)';

    expect(renderBars({ progress, rates: [0], elapsedSeconds: 0 }, 200, plain).at(-1)).toBe(`  ${line}`);
    expect(renderProgressLine({ progress, rates: [0], elapsedSeconds: 0 })).toContain(line);
    const held = progressOf({ stalled: 'x', waits: [{ ...wait, held: true }] });
    expect(renderProgressLine({ progress: held, rates: [0], elapsedSeconds: 0 })).toMatch(/11 batches. Set it right.$/);
    const lineOfBlocked = (blockedBy: 'breaker' | 'no-worker') => {
      const blocked = progressOf({ stalled: 'x', waits: [{ ...wait, blockedBy }] });
      return renderProgressLine({ progress: blocked, rates: [0], elapsedSeconds: 0 });
    };
    expect(lineOfBlocked('breaker')).toMatch(
      /405 Method Not Allowed \(breaker open\), since 20:44:20 UTC, 11 batches$/,
    );
    expect(lineOfBlocked('no-worker')).toMatch(/11 batches. Set it right.$/);
    const cause = 'quiet hours: award-reward calls nobody in SG from 21:00 to 08:00';
    const quiet = { ...wait, cause, blockedBy: 'quiet-hours' as const };
    const faulty = progressOf({ stalled: 'x', waits: [{ ...wait, held: true }, quiet] });
    expect(renderProgressLine({ progress: faulty, rates: [0], elapsedSeconds: 0 })).toMatch(
      /405 Method Not Allowed, since 20:44:20 UTC, 11 batches; beside it quiet hours: .* 08:00 \(and 1 more\)\. Set it right\.$/,
    );
    const short = progressOf({ stalled: 'x', waits: [{ ...wait, by: 'budget' }] });
    expect(renderProgressLine({ progress: short, rates: [0], elapsedSeconds: 0 })).toMatch(
      /11 batches. Set it right.$/,
    );
  });

  test('shows the cause if the run cannot begin', () => {
    const progress = progressOf({ state: 'preparing', stalled: 'segmentation does not answer' });
    expect(renderBars({ progress, rates: [0], elapsedSeconds: 0 }, 100, plain).at(-1)).toContain(
      'segmentation does not',
    );
  });

  test('shows who stopped a run, since when, and the calls still in flight', () => {
    const stopped = { stateReason: 'paused by the night shift', stateSince: '2026-11-21T20:44:20.000Z', inFlight: 3 };
    const lineOfRun = (over: Partial<RunProgress>) =>
      renderProgressLine({ progress: progressOf({ ...stopped, ...over }), rates: [0], elapsedSeconds: 0 });
    const why = 'paused by the night shift, since 20:44:20 UTC';
    expect(lineOfRun({ state: 'pausing' })).toContain(`  pausing: ${why}, 3 calls under way`);
    expect(lineOfRun({ state: 'paused' })).toMatch(/ {2}paused: paused by the night shift, since 20:44:20 UTC$/);
    expect(lineOfRun({ state: 'cancelling', inFlight: 1 })).toContain(`${why}, 1 call under way`);
  });

  test('shows since when and why the whole run waits, and a note if nothing waits', () => {
    const lineOfRun = (over: Partial<RunProgress>) =>
      renderProgressLine({ progress: progressOf(over), rates: [0], elapsedSeconds: 0 });
    const waits = { stalled: 'no worker handles the messages on x', waitingSince: '2026-11-21T20:44:20.000Z' };
    expect(lineOfRun(waits)).toContain('waits: no worker handles the messages on x, since 20:44:20 UTC');
    expect(lineOfRun({ notes: ['segment "a" in SG ended early'] })).toContain('note: segment "a" in SG ended early');
  });

  test('shows 100 % only if every user has ended', () => {
    const almost = progressOf({
      audience: { estimated: null, counted: 1_000_000, excluded: 0, complete: true },
      steps: [lineOf({ audience: 1_000_000, succeeded: 999_999 })],
    });
    expect(renderBars({ progress: almost, rates: [1], elapsedSeconds: 0 }, 100, plain)[0]).toContain('99 %');
  });
});

test('renderProgressLine prints the progress of a run as one line', () => {
  expect(renderProgressLine({ progress: halfWay, rates: [6250, 4200], elapsedSeconds: 67 })).toBe(
    '01:07  running  award-reward 50 % (62,500, 6,250/s)  send-message 25 % (31,550, 4,200/s)',
  );
});

describe('the rate meter', () => {
  test('measures only the last seconds', () => {
    const meter = createRateMeter(5000);
    meter.add(0, 0);
    meter.add(10_000, 10_000);
    meter.add(12_000, 16_000);
    meter.add(15_000, 25_000);
    expect(meter.perSecond()).toBe(3000);
  });

  test('returns 0 after a single sample and never a negative rate', () => {
    const meter = createRateMeter();
    meter.add(0, 100);
    expect(meter.perSecond()).toBe(0);
    meter.add(1000, 50);
    expect(meter.perSecond()).toBe(0);
  });
});
