import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createKnownRuns } from './known-runs.ts';
import type { ListedRun, RunTally } from '../ports/run-store.ts';

/** Returns the tally of a run in one country, with one waiting batch and `ready` ready batches. */
function tallyOf(runId: string, { done = 9, ready = 0, complete = true } = {}): RunTally {
  const facts = { runId, campaignId: 'c', state: 'running', stateReason: null, chain: [{ action: 'a' }] } as const;
  const judged = { pauseAtFailed: null, failureBaseline: [], hasBudgets: false, canary: null, overdueMs: -1 };
  const flow = [{ done, survived: done, born: 0, waiting: 1 }];
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
        if (which === 'over') throw new Error('a look reads runs by their ids');
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
  const look = async (times = 1) => {
    let seen: string[] = [];
    for (let i = 0; i < times; i++) {
      clock.advance(1000);
      const tallies = await known.look();
      seen = tallies.map(({ runId }) => runId);
      for (const runId of seen) known.isDueIn(runId, 1_000_000);
    }
    return seen;
  };
  return { clock, rows, begun, dueAtMs, sinceOf, forgotten, known, look, listings, read, statements: () => statements };
}

describe('a poll of the running runs', () => {
  it('reads all active runs and some others with three statements beside 3,000 waiting runs', async () => {
    const { rows, begun, look, statements } = setUp(3000);
    await look(40);
    begun.push('goes');
    for (let done = 0; done < 100; done++) {
      const before = statements();
      rows.set('goes', tallyOf('goes', { done }));
      const seen = await look();
      expect(seen).toContain('goes');
      // A poll reads the active run, and 100 other runs in turn.
      expect(seen.length).toBeLessThanOrEqual(1 + 100);
      // One statement lists runs, one reads due times, and one reads totals.
      expect(statements() - before).toBeLessThanOrEqual(3);
    }
  });

  it.each([0, 1])('reads 5,000 new runs in turn, beginning with the newest and the oldest: %s ready', async (ready) => {
    const { rows, begun, look } = setUp(0);
    await look();
    const crowd = Array.from({ length: 5000 }, (_, i) => `began-${i}`);
    for (const runId of crowd) rows.set(runId, tallyOf(runId, { ready }));
    begun.push(...crowd);
    const seen = new Map<string, number>();
    for (let looks = 1; looks <= 30; looks++) {
      if (looks === 10) {
        rows.set('small', tallyOf('small'));
        begun.splice(0, Infinity, 'small');
      }
      const ofLook = await look();
      // The limits are for runs that were never read, runs that were read once, runs with ready work, and runs that
      // make no progress.
      expect(ofLook.length).toBeLessThanOrEqual(200 + 100 + 200 + 100);
      for (const runId of ofLook) if (!seen.has(runId)) seen.set(runId, looks);
    }
    expect(seen.get('began-0')).toBe(1);
    expect(seen.get('began-4999')).toBe(1);
    expect(seen.get('small')).toBe(10);
    expect(crowd.every((runId) => seen.has(runId))).toBe(true);
  });

  it('reads a run with a due step at once, although 5,000 runs have not been read yet', async () => {
    const { clock, dueAtMs, look } = setUp(5000);
    dueAtMs.set('waits-2500', clock.monotonicMs());
    dueAtMs.set('waits-2501', clock.monotonicMs() + 4000);
    expect(await look()).toContain('waits-2500');
    expect(await look(2)).not.toContain('waits-2501');
    expect(await look()).toContain('waits-2501');
  });

  it('finds a due step of a run without progress within a minute', async () => {
    const { clock, dueAtMs, look } = setUp(20_000);
    await look(110);
    dueAtMs.set('waits-100', clock.monotonicMs());
    let looks = 1;
    while (!(await look()).includes('waits-100')) looks++;
    expect(looks).toBeLessThanOrEqual(60);
  });

  it('lists waiting runs once, and reads the due times of a limited number of them', async () => {
    const { listings, read, look } = setUp(20_000);
    await look(120);
    read.length = 0;
    await look(60);
    expect(listings.filter((runs) => runs > 0)).toEqual([20_000]);
    expect(Math.max(...read)).toBe(400);
    expect(read.reduce((sum, feeds) => sum + feeds, 0)).toBeGreaterThan(18_000);
  });

  it('reads the due times of 300 runs once a minute', async () => {
    const { read, look } = setUp(300);
    await look(30);
    read.length = 0;
    await look(600);
    expect(read.reduce((sum, feeds) => sum + feeds, 0)).toBe(10 * 300);
  });

  it('reads a resumed run at once beside 5,000 waiting runs', async () => {
    const { begun, sinceOf, look } = setUp(5000);
    await look(40);
    begun.push('waits-7');
    sinceOf.set('waits-7', 'just now');
    expect(await look()).toContain('waits-7');
  });

  it('reads a waiting run when its step is due, beside 500 waiting runs', async () => {
    const { known, look } = setUp(500);
    await look(12);
    const [last = ''] = (await look()).slice(-1);
    known.isDueIn(last, 2500);
    expect(await look()).not.toContain(last);
    expect(await look()).not.toContain(last);
    expect(await look()).toContain(last);
  });

  it('reads a run whose ready batches make no progress for a minute, because its messages may be lost', async () => {
    const { rows, look } = setUp(3000);
    await look(70);
    rows.set('waits-5', tallyOf('waits-5', { ready: 3 }));
    let looks = 0;
    while (!(await look()).includes('waits-5')) looks++;
    expect(looks).toBeLessThan(60);
    for (let i = 0; i < 59; i++) expect(await look()).toContain('waits-5');
  });

  /**
   * Makes looks for a minute while runs only wait. Then adds a run whose start was committed late, by a long
   * transaction, and makes further scans.
   */
  async function lookAtLateRun(figures: Parameters<typeof tallyOf>[1]) {
    const world = setUp(3000);
    const { rows, begun, look } = world;
    await look(60);
    rows.set('late', tallyOf('late', figures));
    begun.push('late');
    expect(await look()).toContain('late');
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
      const { look } = await lookAtLateRun(figures);
      for (let looks = 0; looks < 4; looks++) expect((await look()).includes('late')).toBe(isNew);
    },
  );

  it('reads a run for five seconds after its totals changed', async () => {
    const { rows, known, look } = await lookAtLateRun({ done: 1 });
    rows.set('late', tallyOf('late', { done: 2 }));
    expect(await look()).not.toContain('late');
    known.isDueIn('late', 0);
    for (let looks = 0; looks < 5; looks++) expect(await look()).toContain('late');
    expect(await look()).not.toContain('late');
  });

  it('does not read a run any more that has ended or is paused', async () => {
    const { rows, known, forgotten, look } = setUp(3);
    await look(2);
    rows.delete('waits-1');
    await look();
    expect(known.ids()).toEqual(new Set(['waits-0', 'waits-2']));
    expect(forgotten).toEqual(['waits-1/SG']);
  });
});
