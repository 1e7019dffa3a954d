import { beforeAll, describe, expect, it } from 'vitest';
import { violations } from '../support/evidence.ts';
import type { CrashPlan } from './crash-points.ts';
import { simulate, type Outcome, type ProcessName, type Scenario } from './world.ts';

/** Three batches, the last one short; some fail in each step. */
const users = Array.from({ length: 250 }, (_, i) => `user-${String(i).padStart(3, '0')}`);
const scenario: Scenario = {
  audience: new Map([['SG', users]]),
  fails: (step, user) => (step === 1 ? user.endsWith('7') : user.endsWith('13')),
};

describe('a two-step, three-batch run', () => {
  let undisturbed: Outcome;

  beforeAll(async () => {
    undisturbed = await simulate(scenario);
  });

  it('ends with every witness agreeing when nothing goes wrong', () => {
    expect(violations(undisturbed.evidence)).toEqual([]);
    expect(undisturbed.evidence.runState).toBe('completed_with_failures');
  });

  it.each<ProcessName>(['scheduler', 'trigger', 'worker'])(
    'ends the same when the %s dies right before or right after any of its port calls',
    async (process) => {
      const broken: { process: ProcessName; plan: CrashPlan; violations: string[] }[] = [];
      let crashes = 0;
      for (let atCall = 1; atCall <= undisturbed.calls[process]; atCall++) {
        for (const moment of ['before', 'after'] as const) {
          const plan = { atCall, moment };
          const { evidence, crashed } = await simulate({ ...scenario, crash: { process, plan } });
          if (crashed) crashes++;
          const found = violations(evidence);
          if (found.length > 0) broken.push({ process, plan, violations: found.slice(0, 5) });
        }
      }
      expect(broken).toEqual([]);
      expect(crashes).toBe(2 * undisturbed.calls[process]);
    },
  );
});
