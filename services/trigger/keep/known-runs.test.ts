import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createKnownRuns } from './known-runs.ts';
import type { RunTally } from './run-store.port.ts';

/** A run of one country of which one batch waits, and so much is ready. */
function tallyOf(runId: string, { done = 9, ready = 0 } = {}): RunTally {
  const facts = { runId, campaignId: 'c', state: 'running', stateReason: null, chain: [{ action: 'a' }] } as const;
  const judged = { pauseAtFailed: null, judgedFrom: [], hasBudgets: false, overdueMs: -1 };
  const flow = [{ done, survived: done, born: 0, waiting: 1 }];
  const fedBatches = done + ready + 1;
  const fed = { fedUsers: fedBatches * 100, heldOutUsers: 0, fedBatches, fromStep: 1, complete: true, stalled: null };
  return { ...facts, ...judged, feeds: [{ feedId: `${runId}/SG`, country: 'SG', ...fed, totals: [], flow }] };
}

function setUp(waitingRuns: number) {
  const clock = createSettableClock();
  const rows = new Map<string, RunTally>();
  for (let i = 0; i < waitingRuns; i++) rows.set(`waits-${i}`, tallyOf(`waits-${i}`));
  const begun: string[] = [];
  const forgotten: string[] = [];
  let statements = 0;
  const known = createKnownRuns({
    runStore: {
      tallies: (which) => {
        statements++;
        if (typeof which !== 'object') throw new Error('a look reads runs by their ids');
        return Promise.resolve(which.flatMap((runId) => rows.get(runId) ?? []));
      },
      listRuns: (since) => {
        statements++;
        return Promise.resolve({ runIds: since === null ? [...rows.keys()] : begun, until: 'now' });
      },
    },
    onForgotten: (feedIds) => forgotten.push(...feedIds),
    clock,
  });
  /** The runs that the last of some looks, a second apart, was at. */
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
  return { rows, begun, forgotten, known, look, statements: () => statements };
}

describe('a look at runs', () => {
  it('is at what moves and at some of the others, with two statements, beside any number of runs that wait', async () => {
    const { rows, begun, look, statements } = setUp(3000);
    await look(40);
    begun.push('goes');
    for (let done = 0; done < 100; done++) {
      const before = statements();
      rows.set('goes', tallyOf('goes', { done }));
      const seen = await look();
      expect(seen).toContain('goes');
      // What goes, 50 in turn, and those that nothing was trusted of for half a minute.
      expect(seen.length).toBeLessThanOrEqual(1 + 50 + 150);
      expect(statements() - before).toBe(2);
    }
  });

  it('is at a run that waits when something of it falls due, however many others wait', async () => {
    const { known, look } = setUp(500);
    await look(12);
    const [last = ''] = (await look()).slice(-1);
    known.isDueIn(last, 2500);
    expect(await look()).not.toContain(last);
    expect(await look()).not.toContain(last);
    expect(await look()).toContain(last);
  });

  it('stays longer with a run that has ready work and stands still: it may have been lost', async () => {
    const { rows, look } = setUp(3000);
    await look(70);
    rows.set('waits-5', tallyOf('waits-5', { ready: 3 }));
    let looks = 0;
    while (!(await look()).includes('waits-5')) looks++;
    expect(looks).toBeLessThan(60);
    for (let i = 0; i < 59; i++) expect(await look()).toContain('waits-5');
  });

  it('forgets a run that has ended, or is paused', async () => {
    const { rows, known, forgotten, look } = setUp(3);
    await look(2);
    rows.delete('waits-1');
    await look();
    expect(known.ids()).toEqual(new Set(['waits-0', 'waits-2']));
    expect(forgotten).toEqual(['waits-1/SG']);
  });
});
