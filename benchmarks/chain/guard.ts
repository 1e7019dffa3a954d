import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Comparison of a variant of the chain with another commit. */
export interface Compared {
  name: string;
  /**
   * CPU µs per batch over all processes, divided by the figure of the other commit: the median of the ratios of all
   * rounds.
   */
  ratio: number;
  /** Rounds in which other processes on the machine used little CPU. */
  quietRounds: number;
}

/** Quiet rounds that a median needs at least. */
export const leastQuietRounds = 3;

/** A variant costs more than the limit allows, or could not be judged. The message has a line for each such variant. */
export class GuardFailed extends Error {}

/**
 * Returns the commit with which the nightly run compares costs. The commit changes when a higher cost is accepted by a
 * decision.
 */
export function guardedCommit(): string {
  return readFileSync(join(import.meta.dirname, 'guarded-commit'), 'utf8').trim();
}

/**
 * @param limitPercent highest allowed extra cost of a batch compared with the other commit, in percent
 * @throws {GuardFailed} if a variant costs more, or if it had too few quiet rounds to be judged
 */
export function guard(compared: readonly Compared[], limitPercent: number): void {
  const problems = compared.flatMap((variant) => problemOf(variant, limitPercent) ?? []);
  if (problems.length > 0) throw new GuardFailed(problems.join('\n'));
}

function problemOf({ name, ratio, quietRounds }: Compared, limitPercent: number): string | null {
  if (quietRounds < leastQuietRounds)
    return `${name}: ${quietRounds} of ${leastQuietRounds} rounds were quiet enough to judge by`;
  // Rounded to hundredths of a percent: a ratio of 1.05 is 5 % more, but floating-point arithmetic gives
  // 5.000000000000004.
  const percent = Math.round((ratio - 1) * 10_000) / 100;
  return percent > limitPercent
    ? `${name}: a batch costs ${percent} % more, at most ${limitPercent} % is allowed`
    : null;
}
