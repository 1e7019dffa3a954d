import type { StepLine } from '../../shared/domain/outcomes.ts';
import { endedUsers } from '../../shared/domain/outcomes.ts';

/**
 * What independent witnesses say about one run: the audience that the segmentation service served, the engine's report and failures, and
 * the called services' own ledger of effects.
 */
export interface Evidence {
  /** Users of the segment by country. */
  audience: ReadonlyMap<string, readonly string[]>;
  runState: string;
  /** The report's lines by country. */
  lines: ReadonlyMap<string, readonly StepLine[]>;
  /** By step from 1: how often an effect was applied for a user. */
  effects: readonly ReadonlyMap<string, number>[];
  failures: readonly { user: string; step: number; country: string; reason: string }[];
}

/** Which of the invariants the evidence breaks, in words that name the user and the step. Empty: none. */
export function violations(evidence: Evidence): string[] {
  return [
    ...unfinished(evidence),
    ...doubledEffects(evidence),
    ...effectsOutOfOrder(evidence),
    ...unexpected(evidence),
    ...wrongSums(evidence),
    ...forgottenUsers(evidence),
  ];
}

/** I1: every (user, step) has ended. */
function unfinished({ runState, lines }: Evidence): string[] {
  const found: string[] = [];
  if (runState !== 'completed' && runState !== 'completed_with_failures') found.push(`I1: the run is ${runState}`);
  for (const [country, countryLines] of lines) {
    for (const line of countryLines) {
      if (line.pending !== 0) found.push(`I1: ${line.pending} pending in ${country}, step ${line.step}`);
    }
  }
  return found;
}

/** I2: at most one effect per (run, step, user). */
function doubledEffects({ effects }: Evidence): string[] {
  return effects.flatMap((byUser, index) =>
    [...byUser]
      .filter(([, times]) => times > 1)
      .map(([user, times]) => `I2: ${times} effects for ${user}, step ${index + 1}`),
  );
}

/** I3: no effect of a step without the effect of the one before. */
function effectsOutOfOrder({ effects }: Evidence): string[] {
  return effects
    .slice(1)
    .flatMap((byUser, index) =>
      [...byUser.keys()]
        .filter((user) => effects[index]?.has(user) !== true)
        .map((user) => `I3: effect for ${user} in step ${index + 2} without one in step ${index + 1}`),
    );
}

/** I5: no effect outside the audience. */
function unexpected({ audience, effects }: Evidence): string[] {
  const targeted = new Set([...audience.values()].flat());
  return effects.flatMap((byUser, index) =>
    [...byUser.keys()]
      .filter((user) => !targeted.has(user))
      .map((user) => `I5: effect for unexpected ${user}, step ${index + 1}`),
  );
}

/** I4: the report balances, and says what the ledger says. */
function wrongSums({ audience, lines, effects, failures }: Evidence): string[] {
  const found: string[] = [];
  for (const [country, users] of audience) {
    const countryLines = lines.get(country);
    if (!countryLines) {
      found.push(`I4: no lines for ${country}`);
      continue;
    }
    countryLines.forEach((line, index) => {
      const where = `${country}, step ${line.step}`;
      const applied = users.filter((user) => effects[index]?.has(user)).length;
      const failed = failures.filter((failure) => failure.country === country && failure.step === line.step).length;
      if (line.audience !== users.length)
        found.push(`I4: audience ${line.audience} instead of ${users.length} in ${where}`);
      if (endedUsers(line) + line.pending !== line.audience) found.push(`I4: ${where} does not balance`);
      if (line.succeeded !== applied) found.push(`I4: ${line.succeeded} succeeded, ${applied} effects in ${where}`);
      if (line.failed !== failed) found.push(`I4: ${line.failed} failed, ${failed} failures listed in ${where}`);
    });
  }
  return found;
}

/** Every user has, step by step, an effect or exactly one failure with a reason (I6), and after a failure nothing. */
function forgottenUsers({ audience, effects, failures }: Evidence): string[] {
  const reasons = new Map<string, string[]>();
  for (const failure of failures) {
    const key = `${failure.step} ${failure.user}`;
    reasons.set(key, [...(reasons.get(key) ?? []), failure.reason]);
  }
  const found: string[] = [];
  for (const user of [...audience.values()].flat()) {
    for (const [index, byUser] of effects.entries()) {
      const failed = reasons.get(`${index + 1} ${user}`) ?? [];
      const times = (byUser.has(user) ? 1 : 0) + failed.length;
      if (times !== 1) found.push(`I6: ${user} has ${times} outcomes in step ${index + 1} (${failed.join(', ')})`);
      if (failed.some((reason) => reason === ''))
        found.push(`I6: ${user} failed without a reason in step ${index + 1}`);
      if (failed.length > 0) break;
    }
  }
  return found;
}
