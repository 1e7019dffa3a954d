import type { FastifyRequest } from 'fastify';
import type { RequestedScope } from '../../../shared/contracts/access/api-keys.ts';
import { looserBound, type KeyBounds } from '../../../shared/domain/key-bounds.ts';
import { mayActAs, type Role } from '../../../shared/domain/roles.ts';
import { isWithin, type Scope } from '../../../shared/domain/scopes.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { invalidRequest, quoted } from '../frame/http-problem.ts';
import { callerOf, outOfScope } from './scopes.ts';

export interface Grant {
  role: Role;
  scope: Scope;
  bounds: KeyBounds;
  expiresAt: Date | null;
}

/**
 * Requires that the caller has all the rights that a new or changed key is to have.
 * @throws {HttpProblem} 403
 */
export function requireGrantable(request: FastifyRequest, { role, scope, bounds, expiresAt }: Grant): void {
  const caller = callerOf(request);
  if (!mayActAs(caller.role, role))
    throw outOfScope(`a key with the role ${caller.role} cannot grant the role ${role}`);
  if (!isWithin(scope, caller.scope)) throw outOfScope('a key cannot grant more than its own scope');
  const looser = looserBound(bounds, caller.bounds);
  if (looser !== undefined) {
    throw outOfScope(
      `a key cannot grant looser bounds than its own, whose ${looser} is ${caller.bounds[looser] ?? 'none'}`,
    );
  }
  if (caller.expiresAt !== null && (expiresAt === null || expiresAt > caller.expiresAt)) {
    throw outOfScope(`a key cannot grant a later expiry than its own, ${caller.expiresAt.toISOString()}`);
  }
}

const noCampaigns = { countries: [], actionTypes: [] };

/**
 * Returns a scope with ids instead of names of clients.
 * @throws {HttpProblem} 422 for an unknown client
 */
export async function scopeIn(wanted: RequestedScope, clients: Pick<ClientReader, 'refresh'>): Promise<Scope> {
  const { clients: refs, users } = wanted;
  const isForCallbacks = refs !== null && wanted.countries === undefined && wanted.actionTypes === undefined;
  const { countries = null, actionTypes = null } = isForCallbacks ? noCampaigns : wanted;
  if (refs === null) return { clients: null, countries, actionTypes, users };
  const { byRef } = await clients.refresh();
  const unknown = refs.flatMap((ref, index) => (byRef.has(ref) ? [] : [{ ref, index }]));
  if (unknown.length > 0) {
    throw invalidRequest(
      unknown.map(({ ref, index }) => ({
        pointer: `/scope/clients/${index}`,
        code: 'unknown-client',
        detail: `there is no client ${quoted(ref)}`,
      })),
    );
  }
  return { clients: refs.flatMap((ref) => byRef.get(ref)?.clientId ?? []), countries, actionTypes, users };
}

/**
 * Requires that the key's own limits are within the limits of at least one of its clients, because larger ones would
 * have no effect. The limits of a key for all clients are not checked, because a client with higher limits may be added
 * later.
 * @throws {HttpProblem} 422
 */
export function requireBoundsOfClients(
  { jobsPerSecond, storedJobs }: KeyBounds,
  { clients: ids }: Scope,
  clients: Pick<ClientReader, 'current'>,
): void {
  const found = ids?.flatMap((id) => clients.current()?.byId.get(id) ?? []) ?? [];
  if (found.length === 0) return;
  const stored = Math.max(...found.map(({ definition }) => definition.maxStoredJobs));
  const rate = Math.max(...found.map(({ definition }) => definition.acceptPerSecond ?? Infinity));
  const problems = [
    ...beyond('storedJobs', storedJobs, { limit: stored, name: 'maxStoredJobs' }),
    ...beyond('jobsPerSecond', jobsPerSecond, { limit: rate, name: 'acceptPerSecond' }),
  ];
  if (problems.length > 0) throw invalidRequest(problems);
}

function beyond(bound: keyof KeyBounds, value: number | null, { limit, name }: { limit: number; name: string }) {
  if (value === null || value <= limit) return [];
  const detail = `is ${value}, and none of its clients may have more than ${limit} (${name})`;
  return [{ pointer: `/bounds/${bound}`, code: 'beyond-client', detail }];
}
