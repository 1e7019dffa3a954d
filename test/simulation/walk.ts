import type { MessageFate } from '../support/memory/memory-topics.ts';
import { violations } from '../support/evidence.ts';
import { faultyFates, type Fate } from './process-faults.ts';
import type { Weakening } from './processes.ts';
import { troublesomeManners, type Keeping, type Manner, type StatusManner } from './scripted-endpoint.ts';
import type { BudgetPlan } from './simulated-budgets.ts';
import { createChance, type Chance } from './seeded.ts';
import type { PlannedCap } from './simulated-caps.ts';
import { simulate, type Outcome, type Scenario } from './world.ts';

const messageFates: readonly MessageFate[] = ['drop', 'duplicate', 'delay'];

/** Bias of a walk, so that some kind of trouble appears soon. */
export interface Leaning {
  keeping?: Keeping;
  manners?: readonly Manner[];
  fates?: readonly Fate[];
  lossy?: number;
  deadlineSeconds?: number;
  /** Least duration of a freeze in milliseconds; 500 unless given. */
  frozenMs?: number;
  /** True if the run is paused early, for a long time. */
  paused?: boolean;
  /** True if the run has a small budget. */
  budgeted?: boolean;
  /** True if some users fail and are retried in a child run. */
  retried?: boolean;
  /** True if the call of a certain user kills the worker that makes it. */
  poisoned?: boolean;
  /** True if messages have false lists of lost users. */
  forged?: boolean;
  /** True if some users are on suppression lists. */
  suppressed?: boolean;
  /** True if steps have a check that refuses some users. */
  checked?: boolean;
  /** True if the run begins in quiet hours. */
  quiet?: boolean;
  /** Steps have variants. */
  varied?: boolean;
  /** True if caps limit the effects of three campaigns with the same users. */
  capped?: boolean;
}

/**
 * Returns a random scenario: which users are served, what goes wrong and how often. The same seed returns the same
 * scenario, and the same course of the run.
 */
export function walkOf(seed: number, leaning: Leaning = {}): Scenario {
  const chance = createChance(seed);
  const countries = chance.happens(0.5) ? ['SG'] : ['ID', 'SG'];
  const users = (country: string) =>
    Array.from({ length: 5 + chance.below(200) }, (_, i) => `${country}-${String(i).padStart(3, '0')}`);
  const audience = new Map(countries.map((country) => [country, users(country)]));
  const keeping = leaning.keeping ?? chance.pick(['A', 'B', 'B', 'C', 'C', 'D', 'naive'] as const);
  const failing = chance.pick([0, 0, 3, 20]);
  const manners = leaning.manners ?? (keeping === 'naive' ? [] : someOf(troublesomeManners, chance));
  const troubled = chance.pick([0.05, 0.3, 0.7]);
  const statusTroubled = chance.pick([0, 0.2, 0.6]);
  const lossy = leaning.lossy ?? chance.pick([0, 0.05, 0.3]);
  const fates = leaning.fates ?? someOf(faultyFates, chance);
  const hurt = chance.pick([0, 0.01, 0.03, 0.06]);
  const steps = 1 + chance.below(3);
  return {
    audience,
    keeping,
    steps,
    fails: (step, user) => failing > 0 && (Number(user.slice(3)) + step) % failing === 0,
    deadlineSeconds: leaning.deadlineSeconds ?? (chance.happens(0.2) ? 5 + chance.below(60) : 3600),
    cancelAfterMs: chance.happens(0.15) ? chance.below(20_000) : null,
    poison: (leaning.poisoned ?? seed % 50 === 0) ? `${countries[0] ?? ''}-000` : null,
    chance,
    faultsLastMs: 2000 + chance.below(20_000),
    mannerOf: () => (manners.length > 0 && chance.happens(troubled) ? chance.pick(manners) : 'answer'),
    statusMannerOf: (): StatusManner =>
      chance.happens(statusTroubled) ? chance.pick(['nothing', 'silent'] as const) : 'answer',
    messageFate: () => (chance.happens(lossy) ? chance.pick(messageFates) : 'keep'),
    fateOf: (): Fate => (fates.length > 0 && chance.happens(hurt) ? chance.pick(fates) : 'pass'),
    frozenMs: () => (leaning.frozenMs ?? 500) + chance.below(15_000),
    strays: chance.happens(0.3),
    forged: leaning.forged ?? (Object.keys(leaning).length === 0 && seed % 7 === 0),
    pauses: leaning.paused === true ? [{ afterMs: 1000, forMs: 60_000 }] : somePauses(chance),
    suppressed: isSuppressing(leaning, seed) ? (step, user) => (Number(user.slice(3)) * 7 + step) % 5 === 0 : undefined,
    refused: isChecking(leaning, seed) ? (step, user) => (Number(user.slice(3)) * 3 + step) % 7 === 0 : undefined,
    quietForMs: (leaning.quiet ?? (Object.keys(leaning).length === 0 && seed % 9 === 4)) ? 120_000 : undefined,
    budget: hasBudget(leaning, chance) ? someBudget(steps, chance) : null,
    caps: leaning.capped ? someCaps(steps, createChance(seed)) : undefined,
    varied: leaning.varied ?? (Object.keys(leaning).length === 0 && seed % 10 === 5),
  };
}

/** Decides by the seed instead of a random number, so that all other walks stay the same. */
function isSuppressing(leaning: Leaning, seed: number): boolean {
  return leaning.suppressed ?? (Object.keys(leaning).length === 0 && seed % 6 === 0);
}

/** Decides by the seed too. */
function isChecking(leaning: Leaning, seed: number): boolean {
  return leaning.checked ?? (Object.keys(leaning).length === 0 && seed % 8 === 3);
}

/** Returns true if the walk has a budget. A biased walk has none, unless its bias requires one. */
function hasBudget(leaning: Leaning, chance: Chance): boolean {
  return leaning.budgeted ?? (Object.keys(leaning).length === 0 && chance.happens(0.2));
}

function someBudget(steps: number, chance: Chance): BudgetPlan {
  const unitsPerUser = Array.from({ length: steps }, () => chance.pick<number>([0, 1, 1, 3]));
  if (Math.max(...unitsPerUser) === 0) unitsPerUser[0] = 1;
  return { units: chance.below(250), unitsPerUser, raises: chance.below(3) };
}

/**
 * Returns a cap over all steps, and one for the first step. The chance is one of their own, as other walks need theirs.
 */
function someCaps(steps: number, chance: Chance): PlannedCap[] {
  const all = Array.from({ length: steps }, (_, index) => index + 1);
  return [
    { steps: all, effects: 1 + chance.below(2 * steps) },
    { steps: [1], effects: 1 + chance.below(2) },
  ];
}

function somePauses(chance: Chance): Scenario['pauses'] {
  const count = chance.pick([0, 0, 1, 2]);
  return Array.from({ length: count }, () => ({ afterMs: chance.below(15_000), forMs: 500 + chance.below(15_000) }));
}

function someOf<Entry>(entries: readonly Entry[], chance: Chance): Entry[] {
  const share = chance.pick([0.2, 0.5, 1]);
  return entries.filter(() => chance.happens(share));
}

/** Returns the findings of the witnesses. */
export function findings(
  scenario: Scenario,
  { evidence, lateCalls, budgets, caps, variants, child, requestInDoubt }: Outcome,
): string[] {
  const mayExpire = scenario.deadlineSeconds < 3600;
  const runStates = ['completed', 'completed_with_failures'];
  if (mayExpire) runStates.push('expired');
  if (scenario.cancelAfterMs !== null || scenario.controlAt) runStates.push('cancelled');
  // A run that ended before it was prepared has no feeds, so no user has to be accounted for.
  const isUnstarted = evidence.lines.size === 0 && !evidence.runState.startsWith('completed');
  const found = [
    ...violations(isUnstarted ? { ...evidence, audience: new Map() } : evidence, { runStates }),
    ...budgets,
    ...caps,
    ...variants,
    ...child,
    ...(requestInDoubt > 0 ? [`I9: ${requestInDoubt} questions about a call that was lost`] : []),
  ];
  return lateCalls > 0 ? [...found, `I5: ${lateCalls} calls after a stop`] : found;
}

/**
 * A third of the users fails in each step, and half of these fail again in the retry. Nothing prevents the child run
 * from beginning.
 */
const retried = {
  retried: true,
  fails: (step: number, user: string, isChildRun: boolean) => {
    const number = Number(user.slice(3)) + step;
    return number % 3 === 0 && !(isChildRun && number % 2 === 0);
  },
  deadlineSeconds: 3600,
  cancelAfterMs: null,
  pauses: [],
  poison: null,
} satisfies Partial<Scenario>;

/** The person of the simulation controls one run only, so several runs are neither paused nor cancelled. */
const undirected = { pauses: [], cancelAfterMs: null } satisfies Partial<Scenario>;

export async function walk(seed: number, leaning: Leaning = {}, weakening: Weakening = {}): Promise<string[]> {
  const scenario = {
    ...walkOf(seed, leaning),
    ...(leaning.retried && retried),
    ...(leaning.capped && undirected),
    weakening,
  };
  return findings(scenario, await simulate(scenario));
}
