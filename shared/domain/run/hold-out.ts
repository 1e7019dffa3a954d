import { hash } from 'node:crypto';

/** Number of hexadecimal digits of the hash: 48 bits, which a double represents exactly. */
const digits = 12;
const range = 2 ** 48;

/**
 * Returns whether a user of the audience is held out and receives nothing, as a control group. The result is the same
 * for the same seed and user, in every run and country. A greater percentage holds out the users of a smaller one and
 * further users.
 *
 * The rule, for use outside of Muster: take the first 12 hexadecimal digits of SHA-256 over the seed, a NUL byte and
 * the user's id. As a number over 2^48, they are below percent / 100.
 *
 * @param percent 0 to 100
 */
export function isHeldOut({ percent, seed }: { percent: number; seed: string }, user: string): boolean {
  return Number.parseInt(hash('sha256', `${seed}\u0000${user}`, 'hex').slice(0, digits), 16) < (percent / 100) * range;
}
