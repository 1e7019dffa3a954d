import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createClaimWatch, type ClaimLevels } from './claim-watch.ts';

const idle: ClaimLevels = { waiting: 3, inFlight: 0 };

function setUp() {
  const clock = createSettableClock();
  const watch = createClaimWatch({ clock });
  const found: Error[] = [];
  void watch.stuck.then((error) => found.push(error));
  /**
   * Advances the clock by `afterMs` and makes one turn.
   * @returns whether the watch reports claimed jobs without calls
   */
  async function turn(afterMs: number, levels: ClaimLevels): Promise<boolean> {
    clock.advance(afterMs);
    watch.turned(levels);
    await Promise.resolve();
    return found.length > 0;
  }
  async function turns(count: number, levels: (nth: number) => ClaimLevels): Promise<boolean> {
    for (let nth = 0; nth < count; nth++) if (await turn(100, levels(nth))) return true;
    return false;
  }
  /**
   * Stores `count` heartbeats, two seconds apart.
   * @returns true if the watch reports a hanging flush
   */
  async function beats(count: number): Promise<boolean> {
    for (let nth = 0; nth < count && found.length === 0; nth++) {
      clock.advance(2000);
      watch.beaten();
      await Promise.resolve();
    }
    return found.length > 0;
  }
  return { clock, watch, found, turn, turns, beats };
}

describe('the watch of claimed jobs', () => {
  it('reports claimed jobs that have waited ten seconds without any call', async () => {
    const { found, turns } = setUp();
    expect(await turns(99, () => idle)).toBe(false);
    expect(await turns(1, () => idle)).toBe(true);
    expect(found[0]?.message).toBe('3 claimed jobs have waited for 10 s in which nothing was called');
  });

  it('restarts its count when a call is in flight, when a job ends, and when no claimed job waits', async () => {
    const { watch, turns } = setUp();
    expect(await turns(90, () => idle)).toBe(false);
    expect(await turns(1, () => ({ ...idle, inFlight: 1 }))).toBe(false);
    expect(await turns(90, () => idle)).toBe(false);
    watch.ended({ kind: 'called' });
    expect(await turns(91, () => idle)).toBe(false);
    expect(await turns(1, () => ({ ...idle, waiting: 0 }))).toBe(false);
    expect(await turns(99, () => idle)).toBe(false);
  });

  it('continues its count if a job with a slot is released without a call', async () => {
    const { watch, turns } = setUp();
    expect(await turns(90, () => idle)).toBe(false);
    watch.ended({ kind: 'released' });
    expect(await turns(10, () => idle)).toBe(true);
  });

  it('counts no time in which the process was frozen or Postgres did not answer', async () => {
    const { turn, turns } = setUp();
    expect(await turns(50, () => idle)).toBe(false);
    expect(await turn(600_000, idle)).toBe(false);
    expect(await turns(39, () => idle)).toBe(false);
    expect(await turns(1, () => idle)).toBe(true);
  });
});

describe('the watch of flushes', () => {
  const hanging = () => new Promise<never>(() => undefined);

  it('reports a flush that takes 45 s while heartbeats are stored', async () => {
    const { watch, found, beats } = setUp();
    void watch.flushing(hanging());
    expect(await beats(22)).toBe(false);
    expect(await beats(1)).toBe(true);
    expect(found[0]?.message).toBe('a flush has been under way for 45 s, in which Postgres answered');
  });

  it('starts again with each flush, even after a failed one', async () => {
    const { watch, beats } = setUp();
    for (const flush of [() => Promise.resolve('written'), () => Promise.reject(new Error('no database'))]) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const flushing = watch.flushing(promise);
      expect(await beats(22)).toBe(false);
      flush().then(resolve, reject);
      await flushing.catch(() => undefined);
    }
    expect(await beats(100)).toBe(false);
  });

  it('counts no time in which no heartbeat was stored', async () => {
    const { clock, watch, beats } = setUp();
    void watch.flushing(hanging());
    expect(await beats(11)).toBe(false);
    clock.advance(600_000);
    expect(await beats(11)).toBe(false);
    expect(await beats(1)).toBe(true);
  });
});
