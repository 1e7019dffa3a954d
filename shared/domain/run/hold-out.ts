import { hash } from 'node:crypto';

/** Of the hash's hexadecimal digits, so many: 48 bits, which a double holds exactly. */
const digits = 12;
const range = 2 ** 48;

/**
 * Whether a user of the audience gets nothing, so that the others can be compared with those. The same seed and user
 * always give the same answer, in every run and country, and a greater percentage holds out whom the smaller one did
 * and some more.
 *
 * The rule, for use outside of Muster: the first 12 hexadecimal digits of SHA-256 over the seed, a NUL byte and the
 * user's id, as a number over 2^48, are below percent / 100.
 *
 * @param percent 0 to 100
 */
export function isHeldOut({ percent, seed }: { percent: number; seed: string }, user: string): boolean {
  return Number.parseInt(hash('sha256', `${seed}\u0000${user}`, 'hex').slice(0, digits), 16) < (percent / 100) * range;
}
