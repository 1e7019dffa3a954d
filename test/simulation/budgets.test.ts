import { beforeAll, describe, expect, it } from 'vitest';
import type { Fate } from './process-faults.ts';
import { createChance } from './seeded.ts';
import { findings } from './walk.ts';
import { simulate, type Outcome, type Scenario } from './world.ts';

/** Three batches of users who cost two units in the first step, and a budget for half of the users. */
const users = Array.from({ length: 210 }, (_, i) => `SG-${String(i).padStart(3, '0')}`);

function scenario(fateOf: Scenario['fateOf'], changes: Partial<Scenario> = {}): Scenario {
  return {
    audience: new Map([['SG', users]]),
    steps: 1,
    keeping: 'naive',
    fails: (_, user) => user.endsWith('7'),
    deadlineSeconds: 3600,
    cancelAfterMs: null,
    pauses: [],
    poison: null,
    chance: createChance(1),
    faultsLastMs: 10_000,
    mannerOf: () => 'answer',
    statusMannerOf: () => 'answer',
    messageFate: () => 'keep',
    fateOf,
    frozenMs: () => 8000,
    strays: false,
    budget: { units: 211, unitsPerUser: [2], raises: 1 },
    ...changes,
  };
}

describe('a run with a budget for half of its users', () => {
  const disturbing = () => scenario(() => 'pass');
  let undisturbed: Outcome;

  beforeAll(async () => {
    undisturbed = await simulate(disturbing());
  });

  it('serves the affordable users, pauses, and continues when the budget is raised', () => {
    expect(findings(disturbing(), undisturbed)).toEqual([]);
    expect(undisturbed.raised).toBe(1);
    expect(undisturbed.evidence.lines.get('SG')).toMatchObject([{ succeeded: 189, failed: 21, pending: 0 }]);
  });

  it('ends correctly if it is cancelled while it waits for its budget', async () => {
    const cancelled = scenario(() => 'pass', {
      cancelAfterMs: 4000,
      budget: { units: 100, unitsPerUser: [2], raises: 0 },
    });
    const outcome = await simulate(cancelled);
    expect(findings(cancelled, outcome)).toEqual([]);
    expect(outcome.evidence.lines.get('SG')?.[0]?.cancelled).toBeGreaterThan(100);
  });

  it.each<Fate>(['die-before', 'die-after', 'throw-after', 'freeze-after'])(
    'never exceeds the budget when a worker is made to %s at any of its port calls',
    async (fate) => {
      const broken: { atCall: number; found: string[] }[] = [];
      for (let atCall = 1; atCall <= undisturbed.calls.worker; atCall += 2) {
        const disturbed = scenario((process, { number }) =>
          process.name === 'worker' && process.nth === 1 && number === atCall ? fate : 'pass',
        );
        const found = findings(disturbed, await simulate(disturbed));
        if (found.length > 0) broken.push({ atCall, found: found.slice(0, 5) });
      }
      expect(broken).toEqual([]);
    },
    60_000,
  );
});
