import type { KeyBounds } from '../../../../shared/domain/key-bounds.ts';
import type { Scope } from '../../../../shared/domain/scopes.ts';
import type { Client } from '../../../../shared/ports/clients.ts';
import type { ClientUsage } from '../../clients/client-usage.ts';
import { HttpProblem, quoted } from '../../frame/http-problem.ts';
import type { KeyRates } from './key-rates.ts';

export interface JobSender {
  key: string;
  scope: Scope;
  bounds: KeyBounds;
}

/** Owner of a limit: the client, or the key, whose limit applies in addition. */
type Whose = 'client' | 'key';

type Room =
  | { kind: 'room' }
  | { kind: 'rate'; of: Whose; retryAfterSeconds: number }
  | { kind: 'quota'; of: Whose; stored: number };

/**
 * Checks the rates and quotas of jobs that a key submits for a client. Both the client's and the key's limits apply.
 */
export interface JobCapacity {
  take(client: Client, sender: JobSender): Room;
  /** Releases reserved capacity of jobs that were duplicates or were not stored. */
  release(client: Client, sender: JobSender, jobs: number): void;
}

interface JobCapacityDeps {
  usage: Pick<ClientUsage, 'reserve' | 'release'>;
  keyRates: Pick<KeyRates, 'take' | 'refund'>;
}

export function createJobCapacity({ usage, keyRates }: JobCapacityDeps): JobCapacity {
  return {
    take: (client, { key, bounds: { jobsPerSecond, storedJobs } }) => {
      if (jobsPerSecond !== null) {
        const retryAfterSeconds = keyRates.take(key, jobsPerSecond);
        if (retryAfterSeconds !== undefined) return { kind: 'rate', of: 'key', retryAfterSeconds };
      }
      const room = usage.reserve(client, storedJobs);
      if (room.kind === 'room') return room;
      // A job that the limit of the client refuses does not count towards the limit of the key.
      keyRates.refund(key, 1);
      if (room.kind === 'rate') return { ...room, of: 'client' };
      return { ...room, of: room.stored >= client.definition.maxStoredJobs ? 'client' : 'key' };
    },
    release: (client, { key }, jobs) => {
      usage.release(client, jobs);
      keyRates.refund(key, jobs);
    },
  };
}

export function noRoom(client: Client, { bounds }: JobSender, room: Exclude<Room, { kind: 'room' }>): HttpProblem {
  const { name, definition } = client;
  const isOfKey = room.of === 'key';
  if (room.kind === 'rate') {
    const detail = isOfKey
      ? `this key may submit ${bounds.jobsPerSecond ?? 0} jobs per second (bounds.jobsPerSecond)`
      : `the client ${quoted(name)} may submit ${definition.acceptPerSecond ?? 0} jobs per second (acceptPerSecond)`;
    const headers = { 'retry-after': String(room.retryAfterSeconds) };
    return new HttpProblem({ status: 429, code: 'too-many-jobs', detail, headers });
  }
  const most = isOfKey
    ? `this key may submit more only below ${bounds.storedJobs ?? 0} (bounds.storedJobs)`
    : `maxStoredJobs is ${definition.maxStoredJobs}`;
  const detail = `the client ${quoted(name)} has ${room.stored} open jobs, and ${most}`;
  return new HttpProblem({ status: 429, code: 'quota-exceeded', detail, headers: { 'retry-after': '60' } });
}
