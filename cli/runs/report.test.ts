import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createPaint } from '../show/paint.ts';
import { renderReport } from './report.ts';
import { lineOf, reportOf } from './sample-run.ts';

const plain = createPaint(false);

const rewards = { action: 'award-reward', step: 1 };
const messages = { action: 'send-message', step: 2 };

const finished = reportOf({
  audience: { estimated: 1500, counted: 1500, excluded: 0, complete: true },
  steps: [
    lineOf({ ...rewards, audience: 1500, succeeded: 1470, failed: 30 }),
    lineOf({ ...messages, audience: 1500, succeeded: 1455, failed: 15, skipped: 30 }),
  ],
  countries: [
    {
      country: 'SG',
      audience: 1000,
      excluded: 0,
      steps: [
        lineOf({ ...rewards, audience: 1000, succeeded: 980, failed: 20 }),
        lineOf({ ...messages, audience: 1000, succeeded: 970, failed: 10, skipped: 20 }),
      ],
    },
    {
      country: 'VN',
      audience: 500,
      excluded: 0,
      steps: [
        lineOf({ ...rewards, audience: 500, succeeded: 490, failed: 10 }),
        lineOf({ ...messages, audience: 500, succeeded: 485, failed: 5, skipped: 10 }),
      ],
    },
  ],
  failures: [
    {
      step: 2,
      country: 'SG',
      outcome: 'failed',
      reason: 'no-device',
      users: 10,
      sample: ['sg-7', 'sg-8'],
      retryable: true,
    },
    {
      step: 1,
      country: 'SG',
      outcome: 'failed',
      reason: 'account-closed',
      users: 6,
      sample: ['sg-1'],
      retryable: true,
    },
    {
      step: 1,
      country: 'SG',
      outcome: 'failed',
      reason: 'out-of-stock',
      users: 14,
      sample: ['sg-3', 'sg-4'],
      retryable: true,
    },
    { step: 1, country: 'VN', outcome: 'failed', reason: 'out-of-stock', users: 10, sample: ['vn-5'], retryable: true },
    { step: 2, country: 'VN', outcome: 'failed', reason: 'no-device', users: 5, sample: ['vn-9'], retryable: true },
  ],
  batches: { fed: 15, retried: 2 },
});

describe('the report as text', () => {
  test('lists outcomes by step and country, failures by reason with samples, and the verdict', () => {
    expect(`\n${renderReport(finished, plain)}`).toMatchInlineSnapshot(`
      "
        Lapsed riders
        run_1 · completed with failures · in 22 s · 15 batches, 2 more for retries

        step             country   audience   succeeded   failed   skipped
        1 award-reward   SG           1,000         980       20         0
                         VN             500         490       10         0
                         all          1,500       1,470       30         0
        2 send-message   SG           1,000         970       10        20
                         VN             500         485        5        10
                         all          1,500       1,455       15        30

        step   outcome   reason           users   such as
        1      failed    out-of-stock        24   sg-3  vn-5
        1      failed    account-closed       6   sg-1
        2      failed    no-device           15   sg-7  vn-9

        ✔ balances: each of the 1,500 users has exactly one outcome in every step and country
      "
    `);
  });

  test('has columns for rare outcomes only if a user ended with them', () => {
    const step = lineOf({ succeeded: 90, unknown: 7, expired: 3 });
    const text = renderReport(reportOf({ steps: [step] }), plain);
    expect(text).toContain('unknown');
    expect(text).toContain('expired');
    expect(text).not.toContain('held out');
  });

  test('states for an active run that the sums balance so far', () => {
    expect(renderReport(reportOf({ state: 'running', steps: [lineOf({ succeeded: 40 })] }), plain)).toContain(
      'balances so far',
    );
  });

  test('states if the sums do not balance', () => {
    expect(renderReport(reportOf({ balanced: false }), plain)).toContain('does not balance');
  });

  test('replaces control characters in names and ids', () => {
    const text = renderReport(
      reportOf({
        campaignName: 'evil\u001b[2J',
        failures: [
          { step: 1, country: 'SG', outcome: 'failed', reason: 'x', users: 1, sample: ['a\nb\u009b'], retryable: true },
        ],
      }),
      plain,
    );
    expect(text).toContain('evil·[2J');
    expect(text).toContain('a·b·');
  });

  test('states the reason of a failed run in red and has no empty table', () => {
    const failed = reportOf({
      state: 'failed',
      stateReason: 'there is no segment "big" for SG',
      audience: { estimated: null, counted: 0, excluded: 0, complete: false },
      steps: [lineOf({ audience: 0 })],
    });
    expect(renderReport(failed, plain)).toBe(
      '  Lapsed riders\n  run_1 · failed · in 22 s · 1 batches\n\n  ✖ failed: there is no segment "big" for SG\n',
    );
    expect(renderReport(failed, createPaint(true))).toContain('\u001b[31m✖ failed');
  });

  test('states that a run has no users, instead of stating that the sums balance', () => {
    const empty = reportOf({ state: 'completed', audience: { estimated: 0, counted: 0, excluded: 0, complete: true } });
    expect(renderReport(empty, plain)).toContain('nobody');
    expect(renderReport(empty, plain)).not.toContain('balances');
  });

  test('states how many users have been read from the audience while a run still reads it', () => {
    const audience = { estimated: 200_000, counted: 94_000, excluded: 0, complete: false };
    expect(renderReport(reportOf({ state: 'running', audience }), plain)).toContain(
      '94,000 of about 200,000 users paged so far',
    );
  });

  test('has no table that wraps in 60 columns', () => {
    const lines = renderReport(finished, plain, 60).split('\n').slice(3, -2);
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
  });

  test('has its columns in the same places with and without colours', () => {
    const painted = renderReport(finished, createPaint(true));
    expect(stripVTControlCharacters(painted)).toBe(renderReport(finished, plain));
    expect(painted).not.toBe(renderReport(finished, plain));
  });

  test('states why and since when an unfinished run waits, and the anomalies of its audience', () => {
    const waiting = {
      state: 'paused',
      stalled: 'paused by the night shift',
      waitingSince: '2026-11-21T20:44:20.000Z',
      notes: ['segment "a" in SG ended after 500 users, and 1000 were estimated'],
    } as const;
    const text = renderReport({ ...finished, ...waiting, notes: [...waiting.notes], endedAt: null }, plain);
    expect(text).toContain('  waits: paused by the night shift, since 2026-11-21 20:44 UTC\n');
    expect(text).toContain('  note: segment "a" in SG ended after 500 users, and 1000 were estimated\n');
  });

  test('has a second line for the receipts of an asynchronous step', () => {
    const line = { ...messages, audience: 1500, succeeded: 1455, failed: 15, skipped: 30 };
    const receipts = { delivered: 1400, undelivered: 5, unexpected: 0, awaiting: 50 };
    const report = reportOf({
      audience: finished.audience,
      steps: [lineOf({ ...line, receipts })],
      countries: [{ country: 'SG', audience: 1500, excluded: 0, steps: [lineOf({ ...line, receipts })] }],
    });
    const lines = renderReport(report, plain).split('\n');
    const [head, country, all] = lines
      .slice(lines.findIndex((text) => text.trim().startsWith('receipts')))
      .map((text) => text.trim().split(/ {2,}/));
    expect(head).toEqual(['receipts', 'country', 'accepted', 'delivered', 'undelivered', 'awaiting']);
    expect(country).toEqual(['2 send-message', 'SG', '1,455', '1,400', '5', '50']);
    expect(all).toEqual(['all', '1,455', '1,400', '5', '50']);
    expect(renderReport(finished, plain)).not.toContain('receipts');
    const [sum] = report.steps;
    const steps = sum ? [{ ...sum, receipts: { ...receipts, unexpected: 2 } }] : [];
    expect(renderReport({ ...report, steps }, plain)).toContain('2 receipts are of users that failed, or are unknown');
  });

  test('states how many unknown outcomes were settled after the run', () => {
    expect(renderReport({ ...finished, settled: 1203 }, plain)).toContain('1,203 unknown outcomes were settled since');
    expect(renderReport({ ...finished, settled: 1 }, plain)).toContain('1 unknown outcome was settled since');
    expect(renderReport(finished, plain)).not.toContain('settled');
  });
});

describe('the cost in a report', () => {
  const cost = { currency: 'SGD', units: 3000, amount: '61.70', steps: [], countries: [] };

  test('is printed in units and money, and for a dry run as the expected cost', () => {
    expect(renderReport({ ...finished, cost }, plain)).toContain('\n  cost 3,000 units, SGD 61.70\n');
    expect(renderReport({ ...finished, kind: 'dry-run', cost }, plain)).toContain(
      '\n  would cost 3,000 units, SGD 61.70\n',
    );
  });

  test('is printed in units if no action has a price, and omitted if no action costs units', () => {
    expect(renderReport({ ...finished, cost: { ...cost, amount: null } }, plain)).toContain('\n  cost 3,000 units\n');
    expect(renderReport(finished, plain)).not.toContain('cost');
  });
});

test('the report of a dry run states that no endpoint was called, the expected duration and its basis', () => {
  const forecast = {
    batchUsers: 100,
    load: [],
    takesSeconds: { atLeast: 90, atMost: 90 },
    restsOn: 'It rests on the pace of the campaign.',
  };
  const text = renderReport(
    { ...finished, kind: 'dry-run', forecast, audience: { ...finished.audience, shared: 412 } },
    plain,
  );
  expect(text).toContain('a dry run: nobody was called');
  expect(text).toContain('412 users are in several sources, and count once');
  expect(text).toContain('takes about 1 min 30 s. It rests on the pace of the campaign.');
});
