import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { holdsAll, isWhole, wholeScope, type Scope } from '../../../shared/domain/scopes.ts';
import { clientOfRef, type ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { HttpProblem, notFound } from '../frame/http-problem.ts';
import type { ApiKeyRecord } from './postgres/key-rows.ts';
import type { CampaignReach, OwnedKind, Owner, Owners } from './postgres/owners.ts';

/**
 * How the scope of a key applies to a route.
 * - `none`: not at all; it shows what every key of the installation may see, or what is the key's own.
 * - `client`: what its path names is a client's, and for a key that is not for that client it is not there. Lists show
 *   what is in scope, and a client that a body or a filter names has to be.
 * - `campaign`: it changes a campaign, a run or a list of users; a key that is not for all of its countries and action
 *   types may not.
 * - `schedule`: one of a client, or of a campaign.
 * - `key`: it is for nothing beyond the key that asks.
 * - `installation`: a key with a scope may not.
 */
export type RouteScope = 'none' | 'client' | 'campaign' | 'schedule' | 'key' | 'installation';

export interface CheckScopeDeps {
  owners: Owners;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
}

/**
 * What the path of a request names has to be in the scope of its key.
 * @throws {HttpProblem} 404 for what the key may not see, 403 for what it may not change
 */
export async function checkScope(request: FastifyRequest, deps: CheckScopeDeps): Promise<void> {
  const { scope: applies } = request.routeOptions.config;
  const scope = scopeOf(request);
  if (applies === undefined || applies === 'none' || applies === 'key' || isWhole(scope)) return;
  if (applies === 'installation') throw outOfScope('this is of the whole installation, and this key has a scope');
  const id = idIn(request.params);
  if (id === undefined) return;
  const [kind, owner] = await namedBy(id, deps);
  if (owner?.of === 'client' && !holdsAll(scope.clients, [owner.clientId])) throw notFound(kind, id);
  if (owner?.of === 'campaign' && request.method !== 'GET' && request.method !== 'HEAD') {
    requireReach(scope, owner);
  }
}

const kinds: readonly OwnedKind[] = [
  'job',
  'jobChange',
  'schedule',
  'campaign',
  'template',
  'run',
  'audience',
  'savedAudience',
];

/** An id that is of none of these is a client's, or its name. */
async function namedBy(id: string, { owners, clients }: CheckScopeDeps): Promise<[string, Owner | undefined]> {
  for (const kind of kinds) {
    const uuid = uuidOf(kind, id);
    if (uuid !== undefined) return [kind, await owners.ownerOf(kind, uuid)];
  }
  const client = await clientOfRef(id, clients);
  return ['client', client && { of: 'client', clientId: client.clientId }];
}

const named = z.object({ id: z.string() });

function idIn(params: unknown): string | undefined {
  return named.safeParse(params).data?.id;
}

/** Who asks, on a route that needs a key. */
export function callerOf({ apiKey }: FastifyRequest): ApiKeyRecord {
  if (!apiKey) throw new Error('a route that needs a key was asked without one');
  return apiKey;
}

export function scopeOf({ apiKey }: FastifyRequest): Scope {
  return apiKey?.scope ?? wholeScope;
}

/** The clients that a list may show; undefined: all. */
export function clientsInScope(request: FastifyRequest): readonly string[] | undefined {
  return scopeOf(request).clients ?? undefined;
}

/** Of a client that a body or a filter names. @throws {HttpProblem} 403 */
export function requireClientInScope(scope: Pick<Scope, 'clients'>, clientId: string, name: string): void {
  if (!holdsAll(scope.clients, [clientId])) throw outOfScope(`this key is not for the client ${JSON.stringify(name)}`);
}

/** Of a campaign as a body says it. @throws {HttpProblem} 403 */
export function requireCampaignInScope(
  request: FastifyRequest,
  { countries, chain }: { countries: readonly string[]; chain: readonly { action: string }[] },
): void {
  requireReach(scopeOf(request), { countries, actionTypes: chain.map(({ action }) => action) });
}

function requireReach(scope: Scope, { countries, actionTypes }: CampaignReach): void {
  const beyond = [
    ...countries.filter((country) => !holdsAll(scope.countries, [country])),
    ...actionTypes.filter((action) => !holdsAll(scope.actionTypes, [action])),
  ];
  if (beyond.length === 0) return;
  throw outOfScope(`this key is not for ${[...new Set(beyond)].slice(0, 10).join(', ')}`);
}

export function outOfScope(detail: string): HttpProblem {
  return new HttpProblem({ status: 403, code: 'out-of-scope', detail });
}
