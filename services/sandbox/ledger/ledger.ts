import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/**
 * Effects of one batch call. The line is written before the call is answered, so that it exists even if the connection
 * is cut afterwards.
 */
export const ledgerLine = z.object({
  service: z.string(),
  run: z.string(),
  step: z.int(),
  country: z.string(),
  key: z.string(),
  attempt: z.int(),
  /** Time of the effects, RFC 3339. */
  at: z.string(),
  applied: z.array(z.string()),
  repeated: z.int(),
  failed: z.array(z.string()),
  /** Other calls of the same key in flight when this one arrived; absent if there were none. */
  overlapping: z.int().optional(),
});

export type LedgerLine = z.infer<typeof ledgerLine>;

export interface StepEffects {
  run: string;
  step: number;
  /** User → number of effects: more than 1 breaks the promise of exactly one. */
  applied: Map<string, number>;
  /** User → number of request keys with an effect: the effects of an endpoint that recognises its keys. */
  appliedUnderKeys: Map<string, number>;
  /** User → number of final failures. */
  failed: Map<string, number>;
  /** User → country of the first call. */
  countries: Map<string, string>;
  calls: number;
  /** Number of earlier results that were repeated. */
  repeated: number;
  /** Request key → its calls, in the order of the ledger. */
  keys: Map<string, KeyCalls>;
  /** Number of calls that arrived while another call with the same key was in flight. */
  overlapping: number;
}

export interface KeyCalls {
  country: string;
  users: number;
  at: string[];
  attempts: number[];
  applied: readonly string[];
  /** True if a user was applied twice under the key, which only happens without memory. */
  isAppliedAgain: boolean;
}

export interface Ledger {
  steps: StepEffects[];
  /** Returns empty effects if the step was never called. */
  of(run: string, step: number): StepEffects;
}

/** Reads a whole ledger file. Skips an incomplete last line, whose writer was killed: its call was never answered. */
export async function readLedger(path: string): Promise<Ledger> {
  const steps = new Map<string, StepEffects>();
  let pending: string | undefined;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (pending !== undefined) addLine(steps, ledgerLine.parse(JSON.parse(pending)));
    pending = line;
  }
  const last = pending === undefined ? undefined : parseWhole(pending);
  if (last) addLine(steps, last);
  return {
    steps: [...steps.values()],
    of: (run, step) => steps.get(nameOf(run, step)) ?? emptyStep(run, step),
  };
}

function parseWhole(line: string): LedgerLine | undefined {
  try {
    return ledgerLine.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function addLine(steps: Map<string, StepEffects>, line: LedgerLine): void {
  const name = nameOf(line.run, line.step);
  const effects = steps.get(name) ?? emptyStep(line.run, line.step);
  steps.set(name, effects);
  effects.calls++;
  effects.repeated += line.repeated;
  if (line.overlapping !== undefined) effects.overlapping++;
  for (const user of addCall(effects.keys, line)) addTo(effects.appliedUnderKeys, user);
  for (const user of line.applied) addUser(effects.applied, user, effects, line.country);
  for (const user of line.failed) addUser(effects.failed, user, effects, line.country);
}

/** Adds a call to its request key. @returns the users that had an effect under this key for the first time */
function addCall(keys: Map<string, KeyCalls>, line: LedgerLine): readonly string[] {
  const { key, country, at, attempt, applied, repeated, failed } = line;
  const users = applied.length + repeated + failed.length;
  const calls = keys.get(key);
  if (!calls) {
    keys.set(key, { country, users, at: [at], attempts: [attempt], applied, isAppliedAgain: false });
    return applied;
  }
  calls.at.push(at);
  calls.attempts.push(attempt);
  if (applied.length === 0) return applied;
  const known = new Set(calls.applied);
  const first = applied.filter((user) => !known.has(user));
  calls.isAppliedAgain ||= first.length < applied.length;
  calls.applied = [...calls.applied, ...first];
  return first;
}

function addUser(times: Map<string, number>, user: string, { countries }: StepEffects, country: string): void {
  addTo(times, user);
  if (!countries.has(user)) countries.set(user, country);
}

function addTo(times: Map<string, number>, user: string): void {
  times.set(user, (times.get(user) ?? 0) + 1);
}

function emptyStep(run: string, step: number): StepEffects {
  return {
    run,
    step,
    applied: new Map(),
    appliedUnderKeys: new Map(),
    failed: new Map(),
    countries: new Map(),
    calls: 0,
    repeated: 0,
    keys: new Map(),
    overlapping: 0,
  };
}

function nameOf(run: string, step: number): string {
  return `${run}/${step}`;
}
