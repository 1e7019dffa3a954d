import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createKnownRuns } from './known-runs.ts';
import type { ListedRun, RunTally } from '../ports/run-store.ts';

/** Returns the tally of a run in one country, with one waiting batch and `ready` ready batches. */
function tallyOf(runId: string, { done = 9, ready = 0, complete = true } = {}): RunTally {
  const facts = { runId, campaignId: 'c', state: 'running', stateReason: null, chain: [{ action: 'a' }] } as const;
  const judged = { pauseAtFailed: null, failureBaseline: [], hasBudgets: false, canary: null, overdueMs: -1 };
  const flow = [{ done, survived: done, created: 0, waiting: 1 }];
  const fedBatches = done + ready + 1;
  const fed = {
    fedUsers: fedBatches * 100,
    heldOutUsers: 0,
    canaryUsers: null,
    fedBatches,
    fromStep: 1,
    complete,
    stalled: null,
  };
  return { ...facts, ...judged, feeds: [{ feedId: `${runId}/SG`, country: 'SG', ...fed, totals: [], flow }] };
}

function setUp(waitingRuns: number, { ready = 0 } = {}) {
  const clock = createSettableClock();
  const rows = new Map<string, RunTally>();
  for (let i = 0; i < waitingRuns; i++) rows.set(`waits-${i}`, tallyOf(`waits-${i}`, { ready }));
  const begun: string[] = [];
  const dueAtMs = new Map<string, number>();
  const sinceOf = new Map<string, string>();
  const listed = (runId: string): ListedRun => {
    const dueAt = dueAtMs.get(runId);
    const dueInMs = dueAt === undefined ? null : dueAt - clock.monotonicMs();
    return { runId, since: sinceOf.get(runId) ?? 'long ago', feeds: 1, dueInMs };
  };
  const forgotten: string[] = [];
  let statements = 0;
  const listings: number[] = [];
  /** For each statement that read due times: the number of feeds in it. */
  const read: number[] = [];
  const known = createKnownRuns({
    runStore: {
      tallies: (which) => {
        statements++;
        if (which === 'over') throw new Error('a pass reads runs by their ids');
        return Promise.resolve(which.flatMap((runId) => rows.get(runId) ?? []));
      },
      listRuns: (since) => {
        statements++;
        const runs = (since === null ? [...rows.keys()] : begun).map(listed);
        listings.push(runs.length);
        return Promise.resolve({ runs, until: 'now' });
      },
    },
    outboxSweep: {
      nextDue: (feedIds) => {
        statements++;
        read.push(feedIds.length);
        const due = feedIds.flatMap((feedId): [string, number][] => {
          const { dueInMs } = listed(feedId.replace('/SG', ''));
          return dueInMs === null ? [] : [[feedId, dueInMs]];
        });
        return Promise.resolve(new Map(due));
      },
    },
    onForgotten: (feedIds) => forgotten.push(...feedIds),
    clock,
  });
  /** Makes `times` scans, a second apart. Returns the runs that the last scan read. */
  const pass = async (times = 1) => {
    let seen: string[] = [];
    for (let i = 0; i < times; i++) {
      clock.advance(1000);
      const tallies = await known.read();
      seen = tallies.map(({ runId }) => runId);
      for (const runId of seen) known.isDueIn(runId, 1_000_000);
    }
    return seen;
  };
  return { clock, rows, begun, dueAtMs, sinceOf, forgotten, known, pass, listings, read, statements: () => statements };
}

describe('a poll of the running runs', () => {
  it('reads all active runs and some others with three statements beside 3,000 waiting runs', async () => {
    const { rows, begun, pass, statements } = setUp(3000);
    await pass(40);
    begun.push('goes');
    for (let done = 0; done < 100; done++) {
      const before = statements();
      rows.set('goes', tallyOf('goes', { done }));
      const seen = await pass();
      expect(seen).toContain('goes');
      // A poll reads the active run, and 100 other runs in turn.
      expect(seen.length).toBeLessThanOrEqual(1 + 100);
      // One statement lists runs, one reads due times, and one reads totals.
      expect(statements() - before).toBeLessThanOrEqual(3);
    }
  });

  it.each([0, 1])('reads 5,000 new runs in turn, beginning with the newest and the oldest: %s ready', async (ready) => {
    const { rows, begun, pass } = setUp(0);
    await pass();
    const crowd = Array.from({ length: 5000 }, (_, i) => `began-${i}`);
    for (const runId of crowd) rows.set(runId, tallyOf(runId, { ready }));
    begun.push(...crowd);
    const seen = new Map<string, number>();
    for (let passes = 1; passes <= 30; passes++) {
      if (passes === 10) {
        rows.set('small', tallyOf('small'));
        begun.splice(0, Infinity, 'small');
      }
      const ofPass = await pass();
      // The limits are for runs that were never read, runs that were read once, runs with ready work, and runs that
      // make no progress.
      expect(ofPass.length).toBeLessThanOrEqual(200 + 100 + 200 + 100);
      for (const runId of ofPass) if (!seen.has(runId)) seen.set(runId, passes);
    }
    expect(seen.get('began-0')).toBe(1);
    expect(seen.get('began-4999')).toBe(1);
    expect(seen.get('small')).toBe(10);
    expect(crowd.every((runId) => seen.has(runId))).toBe(true);
  });

  it('reads a run with a due step at once, although 5,000 runs have not been read yet', async () => {
    const { clock, dueAtMs, pass } = setUp(5000);
    dueAtMs.set('waits-2500', clock.monotonicMs());
    dueAtMs.set('waits-2501', clock.monotonicMs() + 4000);
    expect(await pass()).toContain('waits-2500');
    expect(await pass(2)).not.toContain('waits-2501');
    expect(await pass()).toContain('waits-2501');
  });

  it('finds a due step of a run without progress within a minute', async () => {
    const { clock, dueAtMs, pass } = setUp(20_000);
    await pass(110);
    dueAtMs.set('waits-100', clock.monotonicMs());
    let passes = 1;
    while (!(await pass()).includes('waits-100')) passes++;
    expect(passes).toBeLessThanOrEqual(60);
  });

  it('lists waiting runs once, and reads the due times of a limited number of them', async () => {
    const { listings, read, pass } = setUp(20_000);
    await pass(120);
    read.length = 0;
    await pass(60);
    expect(listings.filter((runs) => runs > 0)).toEqual([20_000]);
    expect(Math.max(...read)).toBe(400);
    expect(read.reduce((sum, feeds) => sum + feeds, 0)).toBeGreaterThan(18_000);
  });

  it('reads the due times of 300 runs once a minute', async () => {
    const { read, pass } = setUp(300);
    await pass(30);
    read.length = 0;
    await pass(600);
    expect(read.reduce((sum, feeds) => sum + feeds, 0)).toBe(10 * 300);
  });

  it('reads a resumed run at once beside 5,000 waiting runs', async () => {
    const { begun, sinceOf, pass } = setUp(5000);
    await pass(40);
    begun.push('waits-7');
    sinceOf.set('waits-7', 'just now');
    expect(await pass()).toContain('waits-7');
  });

  it('reads a waiting run when its step is due, beside 500 waiting runs', async () => {
    const { known, pass } = setUp(500);
    await pass(12);
    const [last = ''] = (await pass()).slice(-1);
    known.isDueIn(last, 2500);
    expect(await pass()).not.toContain(last);
    expect(await pass()).not.toContain(last);
    expect(await pass()).toContain(last);
  });

  it('reads a run whose ready batches make no progress for a minute, because its messages may be lost', async () => {
    const { rows, pass } = setUp(3000);
    await pass(70);
    rows.set('waits-5', tallyOf('waits-5', { ready: 3 }));
    let passes = 0;
    while (!(await pass()).includes('waits-5')) passes++;
    expect(passes).toBeLessThan(60);
    for (let i = 0; i < 59; i++) expect(await pass()).toContain('waits-5');
  });

  /**
   * Makes passes for a minute while runs only wait. Then adds a run whose start was committed late, by a long
   * transaction, and makes further scans.
   */
  async function passLateRun(figures: Parameters<typeof tallyOf>[1]) {
    const world = setUp(3000);
    const { rows, begun, pass } = world;
    await pass(60);
    rows.set('late', tallyOf('late', figures));
    begun.push('late');
    expect(await pass()).toContain('late');
    begun.length = 0;
    return world;
  }

  it.each([
    ['has ready work', { ready: 1 }, true],
    ['is not completely fed', { complete: false }, true],
    ['is completely fed and only waits', {}, false],
  ])(
    'reads a run that a long transaction has begun at each of the next four polls if it %s',
    async (_what, figures, isNew) => {
      const { pass } = await passLateRun(figures);
      for (let passes = 0; passes < 4; passes++) expect((await pass()).includes('late')).toBe(isNew);
    },
  );

  it('reads a run for five seconds after its totals changed', async () => {
    const { rows, known, pass } = await passLateRun({ done: 1 });
    rows.set('late', tallyOf('late', { done: 2 }));
    expect(await pass()).not.toContain('late');
    known.isDueIn('late', 0);
    for (let passes = 0; passes < 5; passes++) expect(await pass()).toContain('late');
    expect(await pass()).not.toContain('late');
  });

  it('does not read a run any more that has ended or is paused', async () => {
    const { rows, known, forgotten, pass } = setUp(3);
    await pass(2);
    rows.delete('waits-1');
    await pass();
    expect(known.ids()).toEqual(new Set(['waits-0', 'waits-2']));
    expect(forgotten).toEqual(['waits-1/SG']);
  });
});
