import { hash, randomBytes } from 'node:crypto';

/** A new key to the API: 160 random bits, with a beginning by which leaked keys can be found. */
export function newApiKey(): string {
  return `muster_${randomBytes(20).toString('hex')}`;
}

/**
 * What is stored of a key: SHA-256, in hexadecimal. Nothing slower is needed, as a key is no password that could be
 * guessed.
 */
export function digestOfApiKey(secret: string): string {
  return hash('sha256', secret, 'hex');
}
