import { beforeAll, describe, expect, it } from 'vitest';
import type { ControlVerb } from '../../shared/domain/run/run-control.ts';
import { faultyFates, type Fate } from './process-faults.ts';
import type { ProcessName } from './processes.ts';
import { createChance } from './seeded.ts';
import { findings } from './walk.ts';
import { simulate, type Outcome, type Scenario } from './world.ts';

/** Three batches, the last one short; some fail in each step. Two workers and two triggers share them. */
const users = Array.from({ length: 250 }, (_, i) => `SG-${String(i).padStart(3, '0')}`);

function scenario(fateOf: Scenario['fateOf'], changes: Partial<Scenario> = {}): Scenario {
  return {
    audience: new Map([['SG', users]]),
    steps: 2,
    // A sink without memory would show every superfluous call.
    keeping: 'naive',
    fails: (step, user) => (step === 1 ? user.endsWith('7') : user.endsWith('13')),
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
    ...changes,
  };
}

describe('a run of two steps and three batches', () => {
  let undisturbed: Outcome;

  beforeAll(async () => {
    undisturbed = await simulate(scenario(() => 'pass'));
  });

  it('passes all checks without faults', () => {
    expect(
      findings(
        scenario(() => 'pass'),
        undisturbed,
      ),
    ).toEqual([]);
    expect(undisturbed.evidence.runState).toBe('completed_with_failures');
  });

  it.each<ProcessName>(['scheduler', 'trigger', 'worker'])(
    'ends the same when the %s dies, fails or freezes before or after any of its port calls',
    async (name) => {
      const broken: { atCall: number; fate: Fate; found: string[] }[] = [];
      const atOnce = new Set<Fate>();
      for (let atCall = 1; atCall <= undisturbed.calls[name]; atCall++) {
        for (const fate of faultyFates) {
          const disturbed = scenario((process, { number }) =>
            process.name === name && process.nth === 1 && number === atCall ? fate : 'pass',
          );
          const outcome = await simulate(disturbed);
          if (outcome.faults > 0) atOnce.add(fate);
          const found = findings(disturbed, outcome);
          if (found.length > 0) broken.push({ atCall, fate, found: found.slice(0, 5) });
        }
      }
      expect(broken).toEqual([]);
      expect([...atOnce].toSorted()).toEqual(faultyFates.toSorted());
    },
    180_000,
  );

  it.each([
    { who: 'is on a suppression list', by: 'suppressed' as const },
    { who: 'is refused by a check', by: 'refused' as const },
  ])(
    'calls no user who $who when a worker dies, fails or freezes at any of its port calls',
    async ({ by }) => {
      const withheld = { [by]: (step: number, user: string) => user.endsWith(String(step)) };
      const plain = await simulate(scenario(() => 'pass', withheld));
      expect(plain.evidence.failures.filter(({ outcome }) => outcome === 'suppressed')).toHaveLength(50);
      const broken: { atCall: number; fate: Fate; found: string[] }[] = [];
      for (let atCall = 1; atCall <= plain.calls.worker; atCall++) {
        for (const fate of faultyFates) {
          const isNow: Scenario['fateOf'] = ({ name, nth }, { number }) =>
            name === 'worker' && nth === 1 && number === atCall ? fate : 'pass';
          const disturbed = scenario(isNow, withheld);
          const found = findings(disturbed, await simulate(disturbed));
          if (found.length > 0) broken.push({ atCall, fate, found: found.slice(0, 5) });
        }
      }
      expect(broken).toEqual([]);
    },
    180_000,
  );

  it.each<[ControlVerb, ProcessName]>([
    ['pause', 'scheduler'],
    ['pause', 'trigger'],
    ['pause', 'worker'],
    ['cancel', 'scheduler'],
    ['cancel', 'trigger'],
    ['cancel', 'worker'],
  ])(
    'makes no call after a %s at any port call of the %s, even if that process dies, and passes all checks',
    async (verb, name) => {
      const broken: { atCall: number; fate: Fate; found: string[] }[] = [];
      const ended = new Set<string>();
      for (let atCall = 1; atCall <= undisturbed.calls[name]; atCall++) {
        for (const fate of ['pass', 'die-before', 'die-after'] as const) {
          const isNow: Scenario['controlAt'] = (process, { number }) =>
            process.name === name && process.nth === 1 && number === atCall ? verb : null;
          const fateOf: Scenario['fateOf'] = (process, call) => (isNow(process, call) ? fate : 'pass');
          const controlled = scenario(fateOf, { controlAt: isNow });
          const outcome = await simulate(controlled);
          ended.add(outcome.evidence.runState);
          const found = findings(controlled, outcome);
          if (found.length > 0) broken.push({ atCall, fate, found: found.slice(0, 5) });
        }
      }
      expect(broken).toEqual([]);
      if (verb === 'cancel' && name !== 'scheduler') expect(ended).toContain('cancelled');
    },
    180_000,
  );
});
