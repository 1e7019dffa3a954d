import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { partitionCount } from '../partitioning.ts';

/**
 * The id of a job: derived where it has an idempotency key, so that the same key of the same client is the same job
 * wherever and whenever it arrives (uuid v8 out of SHA-256); a new one otherwise (v7).
 */
export function jobIdOf(clientId: string, key: string | null): string {
  return key === null ? newId() : derivedId(`${clientId}\n${key}`);
}

/** Of an endpoint: the same for the same name of the same client, so that jobs find one that is made again. */
export function endpointIdOf(clientId: string, name: string): string {
  return derivedId(`${clientId}\nendpoint\n${name}`);
}

/** Fetched together: one by one, random bytes cost six times as much as the rest of the id. */
const randomBytes = new Uint8Array(16 * 256);
let used = randomBytes.length;

function newId(): string {
  if (used === randomBytes.length) {
    crypto.getRandomValues(randomBytes);
    used = 0;
  }
  return uuidv7({ random: randomBytes.subarray(used, (used += 16)) });
}

function derivedId(text: string): string {
  const hex = hash('sha256', text, 'hex');
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3] ?? '8';
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A moment of its own within so long, always the same: by bits of its id that are random in both kinds of ids. */
export function jitterMs(jobId: string, withinMs: number): number {
  return Math.floor((Number.parseInt(jobId.slice(24, 32), 16) / 2 ** 32) * withinMs);
}

/** Where a job lies: six bits of its id that are random in both kinds of ids, 0 to 63. Fixed for good. */
export function jobPartitionOf(jobId: string): number {
  return Number.parseInt(jobId.slice(-2), 16) % partitionCount;
}

/** What the secret of a client's key is sealed for: it opens for no other. */
export function clientKeyContext(clientId: string, keyId: string): string {
  return `client:${clientId}:key:${keyId}`;
}
