import { untouchedRun } from '../../../test/support/conformance/run-rows.ts';
import { describe, expect, it } from 'vitest';
import type { RunSnapshot } from './run-reports.port.ts';
import { createWatchRates, type Rates } from './watch-rates.ts';

const startedAt = new Date('2026-01-01T00:00:00Z');

/** Returns a snapshot of a run at the given time, in which this number of users' steps has ended. */
function at(seconds: number, ended: number, facts: Partial<RunSnapshot> = {}): RunSnapshot {
  const totals = [{ step: 1, batches: 0, succeeded: ended, failed: 0, expired: 0, cancelled: 0, unknown: 0 }];
  const counts = { fedUsers: ended, heldOutUsers: 0, excludedUsers: 0, fedBatches: 0, childBatches: 0 };
  const feed = { country: 'SG', segment: 'all', fromStep: 1, estimate: null, ...counts, complete: false };
  return {
    runId: 'r1',
    kind: 'live',
    stepModes: null,
    canary: null,
    parentRunId: null,
    campaignId: 'c1',
    campaignName: 'Lapsed riders',
    revision: 1,
    state: 'running',
    stateReason: null,
    scheduledFor: startedAt,
    startedAt,
    endedAt: null,
    chain: [{ action: 'award-reward', receipts: false }],
    asOf: new Date(startedAt.getTime() + seconds * 1000),
    ...untouchedRun,
    countries: [{ ...feed, totals, receipts: [] }],
    ...facts,
  };
}

describe('the rates of a run', () => {
  it('are the means since the start at the first observation', () => {
    expect(createWatchRates({ maxRuns: 1 }).observe(at(120, 1200))).toMatchObject({ oneMinute: 10, tenMinutes: 10 });
  });

  it('count each user once when fed, and once at the end of the chain, whatever the number of steps', () => {
    const chain = [1, 2].map(() => ({ action: 'award-reward', receipts: false }));
    const seen = at(60, 0, { chain });
    const [feed] = seen.countries;
    if (!feed) throw new Error('the run has a country');
    const ended = { batches: 0, failed: 100, expired: 0, cancelled: 0, unknown: 0 };
    const totals = [
      { ...ended, step: 1, succeeded: 500 },
      { ...ended, step: 2, succeeded: 400 },
    ];
    const countries = [{ ...feed, fedUsers: 900, totals }];
    const rates = createWatchRates({ maxRuns: 1 }).observe({ ...seen, countries });
    expect(rates).toMatchObject({ fed: 15, through: 400 / 60, oneMinute: 1100 / 60 });
  });

  it('differ for the last minute and the last ten minutes after continuous observation', () => {
    const rates = createWatchRates({ maxRuns: 1 });
    for (let second = 0; second <= 600; second++) rates.observe(at(second, second * 10));

    // For one minute, the speed is twice as high.
    for (let second = 601; second < 660; second++) rates.observe(at(second, 6000 + (second - 600) * 20));
    expect(rates.observe(at(660, 7200))).toMatchObject({ oneMinute: 20, tenMinutes: 11 });
  });

  it('become zero when no more users end', () => {
    const rates = createWatchRates({ maxRuns: 1 });
    for (let second = 0; second <= 700; second += 10) rates.observe(at(second, Math.min(second, 60) * 10));

    expect(rates.observe(at(710, 600))).toMatchObject({ oneMinute: 0, tenMinutes: 0 });
  });

  it('are zero long after the end of the run, also at the first observation', () => {
    const endedAt = new Date(startedAt.getTime() + 60_000);
    const ended = at(3600, 600, { state: 'completed', endedAt });

    expect(createWatchRates({ maxRuns: 1 }).observe(ended)).toMatchObject({ oneMinute: 0, tenMinutes: 0 });
  });

  it('do not increase when the remaining users are cancelled or expire', () => {
    const rates = createWatchRates({ maxRuns: 1 });
    for (let second = 0; second <= 120; second++) rates.observe(at(second, second * 10));
    const left = at(121, 1210);
    const [feed] = left.countries;
    const totals = feed?.totals.map((line) => ({ ...line, cancelled: 90_000, expired: 90_000 })) ?? [];
    const countries = feed ? [{ ...feed, totals }] : [];
    expect(rates.observe({ ...left, state: 'cancelling', countries })).toMatchObject({ oneMinute: 10 });
  });

  it('are zero before the start', () => {
    expect(createWatchRates({ maxRuns: 1 }).observe(at(0, 0, { startedAt: null }))).toMatchObject({
      oneMinute: 0,
      tenMinutes: 0,
    });
  });

  it('are kept separately for each run', () => {
    const rates = createWatchRates({ maxRuns: 2 });
    rates.observe(at(60, 600));

    expect(rates.observe(at(60, 60, { runId: 'r2' }))).toMatchObject({ oneMinute: 1, tenMinutes: 1 });
  });

  it('begin again for a run that was forgotten', () => {
    const rates = createWatchRates({ maxRuns: 1 });
    rates.observe(at(60, 600));
    rates.observe(at(60, 600, { runId: 'r2' }));

    expect(rates.observe(at(120, 600))).toMatchObject({ oneMinute: 5, tenMinutes: 5 });
  });
});

describe('a run', () => {
  /** Observes the run twice a second between two times, given in seconds. */
  function watchFrom(
    from: number,
    to: number,
    snapshotAt: (second: number) => RunSnapshot,
  ): (rates: ReturnType<typeof createWatchRates>) => Rates {
    return (rates) => {
      let last = rates.observe(snapshotAt(from));
      for (let second = from + 0.5; second <= to; second += 0.5) last = rates.observe(snapshotAt(second));
      return last;
    };
  }

  /**
   * Returns the number of batches that have ended: these batches end evenly over these seconds, and none after them.
   */
  const stoppingAfter = (seconds: number, batches: number) => (second: number) => {
    const ended = Math.floor((Math.min(second, seconds) / seconds) * batches);
    const snapshot = at(second, ended * 100);
    const [feed] = snapshot.countries;
    return {
      ...snapshot,
      countries: feed ? [{ ...feed, totals: feed.totals.map((t) => ({ ...t, batches: ended })) }] : [],
    };
  };

  it('counts as stopped if no user has ended for three usual intervals between batches, and at least five seconds', () => {
    const quick = createWatchRates({ maxRuns: 1 });
    const quickRun = stoppingAfter(60, 600);
    expect(watchFrom(1, 65, quickRun)(quick).isStill).toBe(false);
    expect(watchFrom(65.5, 65.5, quickRun)(quick).isStill).toBe(true);

    const slow = createWatchRates({ maxRuns: 1 });
    // One batch ends every ten seconds.
    const slowRun = stoppingAfter(60, 6);
    expect(watchFrom(1, 89, slowRun)(slow).isStill).toBe(false);
    expect(watchFrom(89.5, 91, slowRun)(slow).isStill).toBe(true);
  });

  it('counts as continuing when the next batch ends', () => {
    const rates = createWatchRates({ maxRuns: 1 });
    watchFrom(1, 100, stoppingAfter(60, 600))(rates);

    expect(rates.observe(at(101, 70_000)).isStill).toBe(false);
  });

  it('does not count as stopped at the first observation', () => {
    expect(createWatchRates({ maxRuns: 1 }).observe(at(1000, 10)).isStill).toBe(false);
  });
});
