import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { partitionCount } from '../partitioning.ts';

/**
 * Returns the id of a job. With an idempotency key the id is derived (uuid v8 from SHA-256), so that the same key of
 * the same client always gives the same job. Without a key the id is new (v7).
 */
export function jobIdOf(clientId: string, key: string | null): string {
  return key === null ? newId() : derivedId(`${clientId}\n${key}`);
}

/**
 * Name of the endpoint that each client has. Jobs without an endpoint go through it, and its terms apply where other
 * endpoints have none.
 */
export const defaultEndpointName = 'default';

/**
 * Returns an id derived from client and name, so that jobs find an endpoint that was deleted and created again.
 * `default` has the id of its client, so rows of jobs without an endpoint need neither a further id nor a join.
 */
export function endpointIdOf(clientId: string, name: string): string {
  if (name === defaultEndpointName) return clientId;
  return derivedId(`${clientId}\nendpoint\n${name}`);
}

/** Random bytes are fetched in bulk: fetched one by one they cost six times as much as the rest of the id. */
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

/** Returns a delay in [0, `withinMs`) that is fixed for a job, from bits that are random in both kinds of ids. */
export function jitterMs(jobId: string, withinMs: number): number {
  return Math.floor((Number.parseInt(jobId.slice(24, 32), 16) / 2 ** 32) * withinMs);
}

/** Returns the partition of a job, 0 to 63, from bits that are random in both kinds of ids. Must never change. */
export function jobPartitionOf(jobId: string): number {
  return Number.parseInt(jobId.slice(-2), 16) % partitionCount;
}

/** Returns the encryption context of a client key, which binds its secret to this client and key. */
export function clientKeyContext(clientId: string, keyId: string): string {
  return `client:${clientId}:key:${keyId}`;
}
