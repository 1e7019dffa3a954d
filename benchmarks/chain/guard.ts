import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a variant of the chain compares with another commit. */
export interface Compared {
  name: string;
  /** CPU µs per batch over all processes, this tree to the other: the median of the ratios of its rounds. */
  ratio: number;
  /** Rounds in which others on the machine took little. */
  quietRounds: number;
}

/** Fewer give no median to go by. */
export const leastQuietRounds = 3;

/** More was spent than the limit allows, or it could not be judged: the message has each variant. */
export class GuardFailed extends Error {}

/** The commit whose costs the nightly run holds this tree to; it moves where a higher cost was decided. */
export function guardedCommit(): string {
  return readFileSync(join(import.meta.dirname, 'guarded-commit'), 'utf8').trim();
}

/**
 * @param limitPercent what a batch may cost more than at the other commit
 * @throws {GuardFailed} where a variant costs more, or could not be judged: a guard that saw nothing guards nothing
 */
export function guard(compared: readonly Compared[], limitPercent: number): void {
  const problems = compared.flatMap((variant) => problemOf(variant, limitPercent) ?? []);
  if (problems.length > 0) throw new GuardFailed(problems.join('\n'));
}

function problemOf({ name, ratio, quietRounds }: Compared, limitPercent: number): string | null {
  if (quietRounds < leastQuietRounds)
    return `${name}: ${quietRounds} of ${leastQuietRounds} rounds were quiet enough to judge by`;
  // In hundredths of a percent: 1.05 is 5 % more, and binary fractions say 5.000000000000004.
  const percent = Math.round((ratio - 1) * 10_000) / 100;
  return percent > limitPercent
    ? `${name}: a batch costs ${percent} % more, at most ${limitPercent} % is allowed`
    : null;
}
