import { beforeAll, describe, expect, it } from 'vitest';
import type { Fate } from './process-faults.ts';
import type { Manner } from './scripted-endpoint.ts';
import { createChance } from './seeded.ts';
import { findings } from './walk.ts';
import { simulate, type Outcome, type Scenario } from './world.ts';

/** Two batches of users for each of three campaigns, and caps that allow two of their first steps. */
const users = Array.from({ length: 120 }, (_, i) => `SG-${String(i).padStart(3, '0')}`);

function scenario(fateOf: Scenario['fateOf'], changes: Partial<Scenario> = {}): Scenario {
  return {
    audience: new Map([['SG', users]]),
    steps: 2,
    keeping: 'B',
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
    caps: [
      { steps: [1, 2], effects: 5 },
      { steps: [1], effects: 2 },
    ],
    ...changes,
  };
}

describe('three campaigns for the same users, with a cap of two for their first step', () => {
  const disturbing = (changes: Partial<Scenario> = {}) => scenario(() => 'pass', changes);
  let undisturbed: Outcome;

  beforeAll(async () => {
    undisturbed = await simulate(disturbing());
  });

  it('serve each user twice, and suppress the user once', () => {
    expect(findings(disturbing(), undisturbed)).toEqual([]);
    expect(undisturbed.capped).toBe(users.filter((user) => !user.endsWith('7')).length);
  });

  it.each<Manner>(['hang', 'lost', 'queue', 'retryable', 'missing', 'refuse'])(
    'exceed no cap while the endpoint behaves like %s',
    async (manner) => {
      const broken: { seed: number; found: string[] }[] = [];
      for (let seed = 1; seed <= 10; seed++) {
        const chance = createChance(seed);
        const troubled = disturbing({ chance, mannerOf: () => (chance.happens(0.6) ? manner : 'answer') });
        const found = findings(troubled, await simulate(troubled));
        if (found.length > 0) broken.push({ seed, found: found.slice(0, 5) });
      }
      expect(broken).toEqual([]);
    },
  );

  it.each<Fate>(['die-before', 'die-after', 'throw-after', 'freeze-after'])(
    'exceed no cap when a worker is made to %s at any of its port calls',
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
