import type { MessageFate } from '../support/memory/memory-topics.ts';
import { violations } from '../support/evidence.ts';
import { faultyFates, type Fate } from './process-faults.ts';
import { troublesomeManners } from './scripted-endpoint.ts';
import { createChance, type Chance } from './seeded.ts';
import { simulate, type Outcome, type Scenario } from './world.ts';

const messageFates: readonly MessageFate[] = ['drop', 'duplicate', 'delay'];

/** A random scenario: who is served, what goes wrong and how often. The same seed makes the same one, and the same run of it. */
export function walkOf(seed: number): Scenario {
  const chance = createChance(seed);
  const countries = chance.happens(0.5) ? ['SG'] : ['ID', 'SG'];
  const users = (country: string) =>
    Array.from({ length: 5 + chance.below(200) }, (_, i) => `${country}-${String(i).padStart(3, '0')}`);
  const audience = new Map(countries.map((country) => [country, users(country)]));
  const keeping = chance.pick(['A', 'B', 'B', 'naive'] as const);
  const failing = chance.pick([0, 3, 20]);
  const manners = keeping === 'naive' ? [] : someOf(troublesomeManners, chance);
  const troubled = chance.pick([0.05, 0.3, 0.7]);
  const lossy = chance.pick([0, 0.05, 0.3]);
  const fates = someOf(faultyFates, chance);
  const hurt = chance.pick([0, 0.003, 0.01, 0.04]);
  return {
    audience,
    keeping,
    steps: 1 + chance.below(3),
    fails: (step, user) => failing > 0 && (Number(user.slice(3)) + step) % failing === 0,
    deadlineSeconds: chance.happens(0.2) ? 5 + chance.below(60) : 3600,
    cancelAfterMs: chance.happens(0.15) ? chance.below(20_000) : null,
    chance,
    faultsLastMs: 2000 + chance.below(20_000),
    mannerOf: () => (manners.length > 0 && chance.happens(troubled) ? chance.pick(manners) : 'answer'),
    messageFate: () => (chance.happens(lossy) ? chance.pick(messageFates) : 'keep'),
    fateOf: (): Fate => (fates.length > 0 && chance.happens(hurt) ? chance.pick(fates) : 'pass'),
    frozenMs: () => 500 + chance.below(15_000),
    strays: chance.happens(0.3),
  };
}

function someOf<Entry>(entries: readonly Entry[], chance: Chance): Entry[] {
  const share = chance.pick([0.2, 0.5, 1]);
  return entries.filter(() => chance.happens(share));
}

/** What the witnesses find. */
export function findings(scenario: Scenario, { evidence, lateCalls }: Outcome): string[] {
  const mayExpire = scenario.deadlineSeconds < 3600;
  const runStates = ['completed', 'completed_with_failures'];
  if (mayExpire) runStates.push('expired');
  if (scenario.cancelAfterMs !== null) runStates.push('cancelled');
  const found = violations(evidence, { runStates });
  return lateCalls > 0 ? [...found, `I5: ${lateCalls} calls after the end`] : found;
}

export async function walk(seed: number, change: Partial<Scenario> = {}): Promise<string[]> {
  const scenario = { ...walkOf(seed), ...change };
  return findings(scenario, await simulate(scenario));
}
