import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { runFigures } from '../../../shared/contracts/runs/runs.ts';
import type { RunVariant } from '../../../shared/contracts/runs/step-lines.ts';
import { budgetCause, budgetPauseCause } from '../../../shared/domain/run/budgets.ts';
import { outcomes } from '../../../shared/domain/step/outcomes.ts';
import { untouchedRun } from '../../../test/support/conformance/run-rows.ts';
import type { RunSnapshot } from './run-reports.port.ts';
import { nextSteps, runFiguresView } from './run-view.ts';

type Country = RunSnapshot['countries'][number];

function snapshotOf(countries: Country[], steps = 2): RunSnapshot {
  return {
    runId: '01890a5d-ac96-774b-bcce-b302099a8057',
    kind: 'live',
    stepModes: null,
    canary: null,
    parentRunId: null,
    campaignId: '01890a5d-ac96-774b-bcce-b302099a8058',
    campaignName: 'Lapsed riders',
    revision: 1,
    state: 'running',
    stateReason: null,
    scheduledFor: new Date(0),
    startedAt: new Date(0),
    endedAt: null,
    chain: Array.from({ length: steps }, (_, index) => ({ action: `action-${index + 1}`, receipts: index === 1 })),
    asOf: new Date(60_000),
    ...untouchedRun,
    countries,
  };
}

const emptyCountry: Country = {
  country: 'SG',
  fromStep: 1,
  segment: 'all',
  estimate: null,
  fedUsers: 0,
  heldOutUsers: 0,
  excludedUsers: 0,
  fedBatches: 0,
  childBatches: 0,
  complete: false,
  totals: [],
  receipts: [],
};

/**
 * Generates a country with a chain of steps. In each step, outcomes are recorded for some of the users who succeeded in
 * the previous step.
 */
const country = (steps: number) =>
  fc
    .record({
      country: fc.constantFrom('SG', 'ID', 'VN'),
      fedUsers: fc.nat(1_000_000),
      shares: fc.array(fc.array(fc.nat(100), { minLength: 6, maxLength: 6 }), { minLength: steps, maxLength: steps }),
    })
    .map(({ country: name, fedUsers, shares }): Country => {
      let reached = fedUsers;
      const totals = shares.map((share, index) => {
        const all = Math.max(
          1,
          share.reduce((sum, part) => sum + part),
        );
        const [succeeded = 0, failed = 0, expired = 0, cancelled = 0, unknown = 0] = share.map((part) =>
          Math.floor((reached * part) / all),
        );
        reached = succeeded;
        return { step: index + 1, batches: 0, succeeded, failed, expired, cancelled, unknown };
      });
      return { ...emptyCountry, country: name, fedUsers, totals };
    });

describe('the figures of a run', () => {
  it('balance in each line for any progress of users, and the countries sum to the total', () => {
    const runs = fc
      .integer({ min: 1, max: 5 })
      .chain((steps) => fc.tuple(fc.constant(steps), fc.array(country(steps))));
    fc.assert(
      fc.property(runs, ([steps, countries]) => {
        const figures = runFigures.parse(runFiguresView(snapshotOf(countries, steps)));

        expect(figures.balanced).toBe(true);
        expect(figures.audience.counted).toBe(countries.reduce((sum, { fedUsers }) => sum + fedUsers, 0));
        figures.steps.forEach((line, index) => {
          expect(outcomes.reduce((sum, outcome) => sum + line[outcome], line.pending)).toBe(line.audience);
          for (const column of ['audience', 'pending', ...outcomes] as const) {
            const sum = figures.countries.reduce((total, { steps: lines }) => total + (lines[index]?.[column] ?? 0), 0);
            expect(line[column]).toBe(sum);
          }
        });
      }),
    );
  });

  it('add up to the run over all variants, for any progress of users', () => {
    const variants = ['A', 'B', 'C'].map((name, index) => ({ name, weight: [5000, 3000, 2000][index] ?? 0 }));
    const feeds = fc.array(
      fc.tuple(country(2), fc.integer({ min: 1, max: 3 }), fc.nat(100)).map(([feed, variant, share]) => {
        const heldOutUsers = Math.floor((feed.fedUsers * share) / 100);
        return { ...feed, fedUsers: feed.fedUsers + heldOutUsers, heldOutUsers, variant };
      }),
    );
    fc.assert(
      fc.property(feeds, (countries) => {
        const run = { ...snapshotOf(countries), variants };
        const figures = runFigures.parse(runFiguresView(run));
        expect(figures.variants.map(({ name, weight }) => [name, weight])).toEqual([
          ['A', 5000],
          ['B', 3000],
          ['C', 2000],
        ]);
        const sumOf = (count: (variant: RunVariant) => number) =>
          figures.variants.reduce((sum, variant) => sum + count(variant), 0);
        expect(sumOf(({ users }) => users)).toBe(figures.audience.counted);
        expect(sumOf(({ heldOut }) => heldOut)).toBe(figures.steps[0]?.heldOut);
        for (const [index, line] of figures.steps.entries())
          for (const column of ['audience', 'pending', ...outcomes] as const)
            expect(line[column]).toBe(sumOf(({ steps }) => steps[index]?.[column] ?? 0));
      }),
    );
  });

  it('have a line for each variant of a run without feeds, and only for the variants of a test', () => {
    const variants = ['A', 'B'].map((name) => ({ name, weight: 5000 }));
    const namesOf = (run: RunSnapshot) => runFiguresView({ ...run, variants }).variants.map(({ name }) => name);
    expect(namesOf(snapshotOf([]))).toEqual(['A', 'B']);
    expect(namesOf({ ...snapshotOf([{ ...emptyCountry, variant: 2 }]), kind: 'test' })).toEqual(['B']);
  });

  it('do not balance if more users have ended than exist', () => {
    const totals = [{ step: 1, batches: 1, succeeded: 101, failed: 0, expired: 0, cancelled: 0, unknown: 0 }];

    const figures = runFigures.parse(runFiguresView(snapshotOf([{ ...emptyCountry, fedUsers: 100, totals }])));

    expect(figures.balanced).toBe(false);
    expect(figures.steps[0]?.pending).toBe(-1);
  });

  it('include each step of a run without countries', () => {
    const { steps, countries, audience, balanced } = runFiguresView(snapshotOf([]));

    expect(steps.map(({ step, action, audience: users }) => [step, action, users])).toEqual([
      [1, 'action-1', 0],
      [2, 'action-2', 0],
    ]);
    expect({ countries, audience, balanced }).toEqual({
      countries: [],
      audience: { estimated: null, counted: 0, excluded: 0, complete: false },
      balanced: true,
    });
  });

  it('have a line of receipts if the action type is asynchronous, or if receipts were received', () => {
    const totals = [2, 3].map((step) => ({
      step,
      batches: 1,
      succeeded: 90,
      failed: 10,
      expired: 0,
      cancelled: 0,
      unknown: 0,
    }));
    const of = (name: string, receipts: Country['receipts']) => ({
      ...emptyCountry,
      country: name,
      fedUsers: 100,
      totals,
      receipts,
    });
    const line = { step: 2, delivered: 60, undelivered: 5, unexpected: 3 };
    const { steps, countries } = runFiguresView(snapshotOf([of('SG', [line]), of('VN', [])], 3));
    expect(steps.map(({ receipts }) => receipts)).toEqual([
      undefined,
      { delivered: 60, undelivered: 5, unexpected: 3, awaiting: 115 },
      undefined,
    ]);
    expect(countries[1]?.steps[1]?.receipts).toEqual({ delivered: 0, undelivered: 0, unexpected: 0, awaiting: 90 });
    const view = runFiguresView(snapshotOf([of('SG', [{ ...line, step: 3 }])], 3));
    expect(view.steps[2]?.receipts).toMatchObject({ delivered: 60 });
  });

  it('have no estimate if one country has no estimate', () => {
    const estimates = (...values: (number | null)[]) =>
      runFiguresView(snapshotOf(values.map((estimate) => ({ ...emptyCountry, estimate })))).audience.estimated;

    expect(estimates(100, 50)).toBe(150);
    expect(estimates(100, null)).toBeNull();
  });
});

describe('the reason why a run is stalled', () => {
  const wait = {
    step: 1,
    country: 'SG',
    cause: 'HTTP 405',
    since: new Date(5000),
    batches: 3,
    nextTryAt: null,
    blockedBy: null,
  };
  const stallOf = (facts: Partial<RunSnapshot>) => runFiguresView({ ...snapshotOf([emptyCountry], 2), ...facts }).stall;

  it('is null while the run progresses', () => {
    expect(stallOf({})).toBeNull();
  });

  it('is a pause that a person can end', () => {
    const paused = stallOf({ state: 'paused', stateReason: 'wrong reward', stateSince: new Date(1000) });
    expect(paused).toEqual({
      by: 'pause',
      cause: 'wrong reward',
      since: '1970-01-01T00:00:01.000Z',
      nextStep: nextSteps.pause,
    });
  });

  it('is a step whose endpoint refuses calls: held until a person acts, or retried automatically', () => {
    const facts = { stalled: wait.cause, stalledBy: 'step' } as const;
    const held = stallOf({ ...facts, waits: [{ ...wait, held: true }] });
    expect(held).toMatchObject({
      by: 'step',
      cause: 'HTTP 405',
      since: '1970-01-01T00:00:05.000Z',
      nextStep: nextSteps.held,
    });
    expect(stallOf({ ...facts, waits: [{ ...wait, held: false }] })?.nextStep).toBe(nextSteps.step);
  });

  it('is the engine if no worker serves the shard of the longest wait', () => {
    const unserved = { ...wait, cause: 'no worker serves it', held: false, blockedBy: 'no-worker' as const };
    const facts = { stalled: unserved.cause, stalledBy: 'step' } as const;
    expect(stallOf({ ...facts, waits: [unserved, { ...wait, held: true }] })).toEqual({
      by: 'engine',
      cause: 'no worker serves it',
      since: '1970-01-01T00:00:05.000Z',
      nextStep: nextSteps.noWorker,
    });
  });

  it('is a budget that a person must raise, even if the run paused itself because of the budget', () => {
    const cause = budgetCause('SG', '9,000 units');
    const waits = [{ ...wait, cause, held: false }];
    expect(stallOf({ stalled: cause, stalledBy: 'step', waits })).toMatchObject({
      by: 'budget',
      cause,
      nextStep: nextSteps.budget,
    });
    const stateReason = budgetPauseCause(['the 9,000 units of SG are used up']);
    const paused = stallOf({ state: 'paused', stateReason, stateSince: new Date(1000) });
    expect(paused).toMatchObject({ by: 'budget', cause: stateReason, nextStep: nextSteps.budgetPause });
  });

  it.each(['audience', 'engine'] as const)('is its %s, with the action that a person can take', (by) => {
    expect(stallOf({ stalled: 'it is away', stalledBy: by })).toMatchObject({
      by,
      cause: 'it is away',
      nextStep: nextSteps[by],
    });
  });
});
