import type { OwnOutcome, StepLine } from '../../shared/domain/step/outcomes.ts';
import { endedUsers } from '../../shared/domain/step/outcomes.ts';

/**
 * Evidence of independent witnesses about one run: the audience that the segmentation service served, the engine's
 * report and failures, and the called services' own ledger of effects.
 */
export interface Evidence {
  /** Users of the segment by country. */
  audience: ReadonlyMap<string, readonly string[]>;
  runState: string;
  /** The report's lines by country. */
  lines: ReadonlyMap<string, readonly StepLine[]>;
  /** Number of times that an effect was applied for a user, by step from 1. Repeats of one request key count once. */
  effects: readonly ReadonlyMap<string, number>[];
  /** Failed, suppressed and unknown users. Without `outcome`, the user failed. */
  failures: readonly {
    user: string;
    step: number;
    country: string;
    reason: string;
    outcome?: OwnOutcome;
  }[];
  /** Held-out users of the audience; none by default. */
  heldOut?: ReadonlySet<string>;
  /** Users on a suppression list of the action type before the run began, by step from 1; none by default. */
  suppressed?: readonly ReadonlySet<string>[];
  /** Number of request keys, by step from 1, that a sink without memory applied more than once. */
  appliedAgain?: readonly number[];
  /** Number of calls, by step from 1, that came while another call of the same key was in flight. */
  overlapping?: readonly number[];
}

/** Deviations that a scenario allows. */
export interface Allowance {
  /** Allowed final states of the run. */
  runStates: readonly string[];
  /**
   * Number of keys per step that a sink without memory may apply again. Only a repeat can settle a call in flight of a
   * killed worker, so this is at most the number of calls in flight at the kills; 0 without a kill.
   */
  appliedAgain: number;
  /**
   * Number of calls per step that may come while another call of their key is in flight; 0 unless a process was frozen
   * during a call.
   */
  overlapping: number;
}

const nothingAllowed: Allowance = {
  runStates: ['completed', 'completed_with_failures'],
  appliedAgain: 0,
  overlapping: 0,
};

/** Returns a sentence for each broken invariant, with user and step. Empty if none is broken. */
export function violations(evidence: Evidence, allowance: Partial<Allowance> = {}): string[] {
  const allowed = { ...nothingAllowed, ...allowance };
  return [
    ...unfinished(evidence, allowed),
    ...doubledEffects(evidence, allowed),
    ...effectsOutOfOrder(evidence),
    ...unexpected(evidence),
    ...servedThoughHeldOut(evidence),
    ...servedThoughSuppressed(evidence),
    ...wrongSums(evidence),
    ...outcomesOfUsers(evidence),
  ];
}

/** I1: returns users and steps that have not ended. */
function unfinished({ runState, lines }: Evidence, { runStates }: Allowance): string[] {
  const found: string[] = [];
  if (!runStates.includes(runState)) found.push(`I1: the run is ${runState}`);
  for (const [country, countryLines] of lines) {
    for (const line of countryLines) {
      if (line.pending !== 0) found.push(`I1: ${line.pending} pending in ${country}, step ${line.step}`);
    }
  }
  return found;
}

/**
 * I2: returns users with several effects in a step of a run, also at a sink without memory, except for calls in doubt.
 */
function doubledEffects({ effects, appliedAgain = [], overlapping = [] }: Evidence, allowed: Allowance): string[] {
  const doubled = effects.flatMap((byUser, index) =>
    [...byUser]
      .filter(([, times]) => times > 1)
      .map(([user, times]) => `I2: ${times} effects for ${user}, step ${index + 1}`),
  );
  const over = (what: string, counts: readonly number[], limit: number) =>
    counts.flatMap((count, index) =>
      count > limit ? [`I2: ${count} ${what} in step ${index + 1}, at most ${limit} may be`] : [],
    );
  return [
    ...doubled,
    ...over('keys applied again', appliedAgain, allowed.appliedAgain),
    ...over('calls beside another of their key', overlapping, allowed.overlapping),
  ];
}

/** I3: returns effects of a step without an effect of the previous step. */
function effectsOutOfOrder({ effects }: Evidence): string[] {
  return effects
    .slice(1)
    .flatMap((byUser, index) =>
      [...byUser.keys()]
        .filter((user) => effects[index]?.has(user) !== true)
        .map((user) => `I3: effect for ${user} in step ${index + 2} without one in step ${index + 1}`),
    );
}

/** I5: returns effects for users outside the audience. */
function unexpected({ audience, effects }: Evidence): string[] {
  const targeted = new Set([...audience.values()].flat());
  return effects.flatMap((byUser, index) =>
    [...byUser.keys()]
      .filter((user) => !targeted.has(user))
      .map((user) => `I5: effect for unexpected ${user}, step ${index + 1}`),
  );
}

/** I7: returns effects for held-out users, and steps that do not count them as held out. */
function servedThoughHeldOut({ audience, lines, effects, heldOut = new Set() }: Evidence): string[] {
  const served = effects.flatMap((byUser, index) =>
    [...byUser.keys()]
      .filter((user) => heldOut.has(user))
      .map((user) => `I7: effect for held-out ${user}, step ${index + 1}`),
  );
  const miscounted = [...lines].flatMap(([country, countryLines]) => {
    const most = (audience.get(country) ?? []).filter((user) => heldOut.has(user)).length;
    return countryLines
      .filter(
        (line) => line.heldOut > most || (line.audience === audience.get(country)?.length && line.heldOut !== most),
      )
      .map((line) => `I7: ${line.heldOut} held out, ${most} are to be in ${country}, step ${line.step}`);
  });
  return [...served, ...miscounted];
}

/** I8: returns effects for users on a suppression list, and other users who were suppressed. */
function servedThoughSuppressed({ effects, failures, suppressed = [] }: Evidence): string[] {
  const served = effects.flatMap((byUser, index) =>
    [...byUser.keys()]
      .filter((user) => suppressed[index]?.has(user) === true)
      .map((user) => `I8: effect for suppressed ${user}, step ${index + 1}`),
  );
  const others = failures
    .filter(({ outcome, step, user }) => outcome === 'suppressed' && suppressed[step - 1]?.has(user) !== true)
    .map(({ step, user }) => `I8: ${user} is suppressed and on no list, step ${step}`);
  return [...served, ...others];
}

/** I4: returns sums of the report that do not balance, or that differ from the failures. */
function wrongSums({ audience, lines, failures }: Evidence): string[] {
  const found: string[] = [];
  for (const [country, users] of audience) {
    const countryLines = lines.get(country);
    if (!countryLines) {
      found.push(`I4: no lines for ${country}`);
      continue;
    }
    for (const line of countryLines) {
      const where = `${country}, step ${line.step}`;
      const listed = failures.filter((failure) => failure.country === country && failure.step === line.step);
      const unknown = listed.filter(({ outcome }) => outcome === 'unknown').length;
      const suppressed = listed.filter(({ outcome }) => outcome === 'suppressed').length;
      const failed = listed.length - unknown - suppressed;
      if (line.audience > users.length) found.push(`I4: audience ${line.audience} of ${users.length} in ${where}`);
      if (endedUsers(line) + line.pending !== line.audience) found.push(`I4: ${where} does not balance`);
      if (line.failed !== failed) found.push(`I4: ${line.failed} failed, ${failed} failures listed in ${where}`);
      if (line.suppressed !== suppressed)
        found.push(`I4: ${line.suppressed} suppressed, ${suppressed} listed in ${where}`);
      if (line.unknown !== unknown) found.push(`I4: ${line.unknown} unknown, ${unknown} listed in ${where}`);
    }
  }
  return found;
}

/**
 * Returns users without a consistent outcome. In each step a user has an effect or exactly one failure with a reason
 * (I6), and nothing after a failure. Only an `unknown` user may have an effect too. Users with neither are those that
 * the report counts as fed too late, expired or cancelled (I4).
 */
function outcomesOfUsers(evidence: Evidence): string[] {
  const { audience, lines, effects } = evidence;
  const ends = failuresByUser(evidence);
  const found: string[] = [];
  for (const [country, users] of audience) {
    let left: readonly string[] = users;
    for (const [index, byUser] of effects.entries()) {
      const step = index + 1;
      const where = `${country}, step ${step}`;
      const successful: string[] = [];
      let neither = 0;
      for (const user of left) {
        const failed = ends.get(`${step} ${user}`) ?? [];
        const hasEffect = byUser.has(user);
        const isUnknown = failed.some(({ outcome }) => outcome === 'unknown');
        if (failed.length > 1 || (hasEffect && failed.length > 0 && !isUnknown)) {
          const reasons = failed.map(({ reason }) => reason).join(', ');
          found.push(`I6: ${user} has ${failed.length + (hasEffect ? 1 : 0)} outcomes in step ${step} (${reasons})`);
        }
        if (failed.some(({ reason }) => reason === '')) {
          found.push(`I6: ${user} failed without a reason in step ${step}`);
        }
        if (failed.length > 0) continue;
        if (hasEffect) successful.push(user);
        else neither++;
      }
      found.push(
        ...wrongCounts(where, { succeeded: successful.length, neither }, lines.get(country) ?? [], index, users.length),
      );
      left = successful;
    }
  }
  return found;
}

/** @param targeted users of the segment. Users that the line does not count were never fed. */
function wrongCounts(
  where: string,
  { succeeded, neither }: { succeeded: number; neither: number },
  lines: readonly StepLine[],
  index: number,
  targeted: number,
): string[] {
  const line = lines[index];
  const before = lines[index - 1];
  if (!line) return [];
  const found: string[] = [];
  const notFed = before ? 0 : targeted - line.audience;
  const heldOut = before ? 0 : line.heldOut;
  const withheld = line.expired + line.cancelled - (before?.cancelled ?? 0) + heldOut + notFed;
  if (line.succeeded !== succeeded) found.push(`I4: ${line.succeeded} succeeded, ${succeeded} effects in ${where}`);
  if (neither !== withheld && line.pending === 0) {
    found.push(`I6: ${neither} users of ${where} have no outcome, the report withholds ${withheld}`);
  }
  return found;
}

function failuresByUser({ failures }: Evidence): Map<string, Evidence['failures'][number][]> {
  const byUser = new Map<string, Evidence['failures'][number][]>();
  for (const failure of failures) {
    const key = `${failure.step} ${failure.user}`;
    byUser.set(key, [...(byUser.get(key) ?? []), failure]);
  }
  return byUser;
}
