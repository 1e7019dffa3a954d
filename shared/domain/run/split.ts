import { hash } from 'node:crypto';

/** Number of equal shares into which a split divides the users: a share is a hundredth of a percent. */
const shares = 10_000;

/** Number of hexadecimal digits of the hash: 48 bits, which a double represents exactly. */
const digits = 12;
const range = 2 ** 48;

/** Users whose share is at least `from` and below `to`, both from 0 to 10,000. */
export interface SplitPart {
  seed: string;
  from: number;
  to: number;
}

/**
 * Returns the share of a user, from 0 to 9,999. The result is the same for the same seed and user, in every run and
 * country. It is independent of the hold-out, even under the same seed, because the hash has an input of its own.
 *
 * The rule, for use outside of Muster: take the first 12 hexadecimal digits of SHA-256 over the word `split`, a NUL
 * byte, the seed, a NUL byte and the user's id. Multiply them by 10,000, divide by 2^48, and round down.
 */
export function shareOf(seed: string, user: string): number {
  const digest = hash('sha256', `split\u0000${seed}\u0000${user}`, 'hex').slice(0, digits);
  return Math.floor((Number.parseInt(digest, 16) * shares) / range);
}

export function isInPart({ seed, from, to }: SplitPart, user: string): boolean {
  const share = shareOf(seed, user);
  return share >= from && share < to;
}

/** Returns the part of each weight, in the order of the weights. @param weights hundredths of a percent */
export function partsOf(weights: readonly number[], seed: string): SplitPart[] {
  let from = 0;
  return weights.map((weight) => {
    const part = { seed, from, to: from + weight };
    from = part.to;
    return part;
  });
}
