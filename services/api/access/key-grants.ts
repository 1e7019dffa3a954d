import type { FastifyRequest } from 'fastify';
import type { ScopeShape } from '../../../shared/contracts/access/api-keys.ts';
import { mayActAs, type Role } from '../../../shared/domain/roles.ts';
import { isWithin, type Scope } from '../../../shared/domain/scopes.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { invalidRequest, quoted } from '../frame/http-problem.ts';
import { callerOf, outOfScope } from './scopes.ts';

/** What a key is to be for. */
export interface Grant {
  role: Role;
  scope: Scope;
  expiresAt: Date | null;
}

/** @throws {HttpProblem} 403 for more than the key that asks may and is for */
export function requireGrantable(request: FastifyRequest, { role, scope, expiresAt }: Grant): void {
  const caller = callerOf(request);
  if (!mayActAs(caller.role, role)) throw outOfScope(`a ${caller.role} makes no ${role}`);
  if (!isWithin(scope, caller.scope)) throw outOfScope('no key grants more than the one that makes it is for');
  if (caller.expiresAt !== null && (expiresAt === null || expiresAt > caller.expiresAt)) {
    throw outOfScope(`no key lives longer than the one that makes it, ${caller.expiresAt.toISOString()}`);
  }
}

/** Clients may be named by name or id. @throws {HttpProblem} 422 for one that there is not */
export async function scopeIn(
  { clients: refs, countries, actionTypes }: ScopeShape,
  clients: Pick<ClientReader, 'refresh'>,
): Promise<Scope> {
  if (refs === null) return { clients: null, countries, actionTypes };
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
  return { clients: refs.flatMap((ref) => byRef.get(ref)?.clientId ?? []), countries, actionTypes };
}
