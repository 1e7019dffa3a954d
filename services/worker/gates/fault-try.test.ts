import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { aloneFromLapses } from '../../../shared/domain/step/suspects.ts';
import type { QuietNow } from '../../../shared/domain/run/quiet-hours.ts';
import type { Admission } from '../claims/feed-directory.ts';
import { worksOf } from '../slots/test-works.ts';
import { createSuspectGate } from '../step/suspect-gate.ts';
import { releasedResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { CallDeps } from './gate.ts';
import { callGates, passGates } from './gates.ts';

const admission: Admission = { verdict: 'go', deadlineAtMs: Infinity };

/** Returns a batch of a step that is held for a fault, and what the gates need to decide about it. */
function setUp({
  tryDue = true,
  lapses = 0,
  quiet = null,
}: {
  tryDue?: boolean;
  lapses?: number;
  quiet?: QuietNow | null;
}) {
  const clock = createSettableClock(0);
  const [first] = worksOf('f1', 1);
  if (!first) throw new Error('no batch was made');
  const work: Work = { ...first, claim: { ...first.claim, lapses } };
  work.standing.fault.current = { cause: 'award-reward answers 404', tryDue };
  const taken: boolean[] = [];
  const done = () => Promise.resolve();
  const deps: CallDeps = {
    heldSteps: {
      mayCall: () => Promise.resolve(taken.push(true) === 1),
      holdForFault: done,
      endFault: done,
      holdForQuietHours: done,
      endQuietHours: done,
    },
    quietHours: { of: () => quiet },
    clock,
    leaseMs: 60_000,
    random: () => 0,
    suspects: createSuspectGate(),
  };
  return { work, deps, taken, ask: async () => await passGates(callGates, work, admission, deps) };
}

describe('the trial call of a held step', () => {
  it('is made by a batch that no other gate stops', async () => {
    const { ask, taken } = setUp({});
    expect(await ask()).toBeNull();
    expect(taken).toHaveLength(1);
    expect(await ask()).toMatchObject({ state: 'waiting', delayMs: 0 });
  });

  it('is not made before it is due', async () => {
    const { ask, taken } = setUp({ tryDue: false });
    expect(await ask()).toMatchObject({ state: 'waiting', delayMs: 0 });
    expect(taken).toEqual([]);
  });

  it.each<QuietNow['then']>(['wait', 'drop'])('is left to a later batch in quiet hours (%s)', async (then) => {
    const { ask, taken } = setUp({ quiet: { then, untilMs: 1000, cause: 'quiet hours' } });
    expect(await ask()).toMatchObject({ state: 'waiting', delayMs: 1000, whileHeld: true });
    expect(taken).toEqual([]);
  });

  it('is left to a later batch while single users of the step are tried', async () => {
    const { ask, taken, work } = setUp({});
    const begunBy = releasedResult(work, 0, null);
    work.standing.trial = { begunBy, probes: 2, probesLeft: 2, refusedAlone: [], refused: [], waiting: [] };
    expect(await ask()).toBe('trial');
    expect(taken).toEqual([]);
  });

  it('is left to a later batch if its own batch has lapsed leases and has to wait for another such batch', async () => {
    const { ask, deps, taken, work } = setUp({ lapses: aloneFromLapses });
    deps.suspects.enter({ ...work });
    expect(await ask()).toMatchObject({ state: 'waiting', delayMs: 1000 });
    expect(taken).toEqual([]);
  });
});
