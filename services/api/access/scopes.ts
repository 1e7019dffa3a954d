import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { mayActAs } from '../../../shared/domain/roles.ts';
import {
  holdsAll,
  holdsEveryCampaign,
  holdsReach,
  holdsSomeCampaigns,
  isWhole,
  isWithin,
  readsAllUsers,
  seesReach,
  wholeScope,
  type CampaignReach,
  type CampaignScope,
  type Scope,
} from '../../../shared/domain/scopes.ts';
import { clientOfRef, type ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { HttpProblem, notFound } from '../frame/http-problem.ts';
import { isReadMethod } from '../frame/server/same-origin.ts';
import type { ApiKeyRecord } from './credentials/postgres/key-rows.ts';
import { ownedKinds, type OwnedKind, type Owner, type Owners } from './owners.port.ts';

/**
 * Ways in which the scope of a key applies to a route. Each route that needs a key declares one, or the API does not
 * start.
 * - `none`: the scope does not apply. The route shows only what every key of the installation may see: nothing of a
 *   campaign, a client or a user. Only for reading, and for no path that names an object by its id.
 * - `own`: the route changes what belongs to the caller itself, such as its sessions.
 * - `calculation`: the route computes a result and changes nothing; an estimate may be stored for lists to show. The
 *   key has to see the object that the path names.
 * - `client`: the object belongs to a client. Keys that are not for that client receive 404, and lists omit the object.
 *   A client that a body or a filter names has to be in scope. A job of a notification belongs to its account.
 * - `campaign`: a campaign, a run, a template or a list of users. Keys that are for none of its countries, or none of
 *   its action types, receive 404, and lists omit the object. A key that is not for all of them may not change the
 *   object.
 * - `users`: the route shows users of a campaign or of a list. A key that is not for all of its countries and action
 *   types needs `users` in its scope. Users of no campaign need `users` or a scope of all campaigns.
 * - `schedule`: a schedule of a client or of a campaign.
 * - `account`: the object belongs to an account. Keys of other accounts that have a scope receive 404. Keys of other
 *   accounts without a scope may read the object, and operators among them may change it. A key of the account may
 *   change the object if its scope contains the scope of the account, or that of the key that set the URL.
 * - `key`: keys whose scope is within the caller's.
 * - `installation`: only for keys without a scope.
 */
export const routeScopes = [
  'none',
  'own',
  'calculation',
  'client',
  'campaign',
  'users',
  'schedule',
  'account',
  'key',
  'installation',
] as const;

export type RouteScope = (typeof routeScopes)[number];

/** Scopes for which no object in the path is checked. */
const unboundScopes: readonly RouteScope[] = ['none', 'own', 'key'];

export interface CheckScopeDeps {
  owners: Owners;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
}

/**
 * Requires that the object in the path is within the scope of the caller's key.
 * @throws {HttpProblem} 404 for an object that the key may not read, 403 for an object that it may not change
 */
export async function checkScope(request: FastifyRequest, deps: CheckScopeDeps): Promise<void> {
  const { scope: applies } = request.routeOptions.config;
  const scope = scopeOf(request);
  request.readsUsers = readsAllUsers(scope);
  if (applies === undefined || unboundScopes.includes(applies)) return;
  if (isWhole(scope) && applies !== 'account') return;
  if (applies === 'installation') throw outOfScope('this is for the whole installation, and this key has a scope');
  const id = idIn(request.params);
  const [kind, owner] = id === undefined ? [] : await findOwner(id, deps);
  const missing = () => notFound(kind ? nounOf(kind) : 'thing', id ?? '');
  if (owner?.of === 'client' && !holdsAll(scope.clients, [owner.clientId])) throw missing();
  if (owner?.of === 'account') requireAccount(request, owner, missing);
  const reach = owner?.of === 'campaign' ? owner : undefined;
  if (reach && !seesReach(scope, reach)) throw missing();
  if (reach && applies !== 'calculation' && !isReadMethod(request.method)) requireReach(scope, reach);
  request.readsUsers = readsAllUsers(scope) || (reach !== undefined && holdsReach(scope, reach));
  if (applies === 'users' && !request.readsUsers) throw usersForbidden();
}

declare module 'fastify' {
  interface FastifyRequest {
    /** True if the caller may read the users of the object in the path. */
    readsUsers: boolean;
  }
}

/**
 * Checks objects whose ids are in a body or a query.
 * @throws {HttpProblem} 404 for an object that the key may not read
 */
export async function requireVisible(
  request: FastifyRequest,
  kind: OwnedKind,
  ids: Iterable<string>,
  { owners }: Pick<CheckScopeDeps, 'owners'>,
): Promise<void> {
  const scope = scopeOf(request);
  if (holdsEveryCampaign(scope)) return;
  for (const id of ids) {
    const owner = await owners.ownerOf(kind, id);
    if (owner?.of === 'campaign' && !seesReach(scope, owner)) throw notFound(nounOf(kind), publicId(kind, id));
  }
}

/**
 * Returns the noun for a kind of object in a 404. It is the same noun as in the routes, so an object outside the scope
 * looks like one that does not exist.
 */
function nounOf(kind: string): string {
  return kind === 'audienceCount' ? 'exact-count' : kind === 'savedAudience' ? 'audience' : kind;
}

function usersForbidden(): HttpProblem {
  return outOfScope(
    'this shows users of countries or actions that the scope of this key does not hold: it needs `users`',
  );
}

/**
 * Checks that the key may use an object of an account.
 * @throws {HttpProblem} 404 for a key with a scope, 403 for a change by another account or with a narrower key
 */
function requireAccount(
  request: FastifyRequest,
  { account, scopes }: Extract<Owner, { of: 'account' }>,
  missing: () => HttpProblem,
): void {
  const caller = callerOf(request);
  const isOwn = caller.account === account;
  if (!isOwn && !isWhole(caller.scope)) throw missing();
  // A notification itself contains no message, so it may be read. Its jobs contain messages.
  const isNotificationRead = isReadMethod(request.method) && request.routeOptions.config.scope === 'account';
  if (isNotificationRead || isOperatorOfEverything(caller)) return;
  if (isOwn && scopes.some((scope) => isWithin(scope, caller.scope))) return;
  if (isOwn)
    throw outOfScope('the scope of this key is narrower than those of the account and of the key that set the URL');
  const detail =
    'this belongs to another account: one of its keys may change it, or an operator of the whole installation';
  throw new HttpProblem({ status: 403, code: 'not-yours', detail, requiredRole: 'operator' });
}

/**
 * Returns the kind and the owner of an object. An id without a known prefix is that of a client, or a client's name.
 */
async function findOwner(id: string, { owners, clients }: CheckScopeDeps): Promise<[string, Owner | undefined]> {
  for (const kind of ownedKinds) {
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

export function callerOf({ apiKey }: FastifyRequest): ApiKeyRecord {
  if (!apiKey) throw new Error('a route that needs a key received a request without one');
  return apiKey;
}

export function scopeOf({ apiKey }: FastifyRequest): Scope {
  return apiKey?.scope ?? wholeScope;
}

/** Returns true for an operator whose key has no scope. No other caller has all rights. */
export function isOperatorOfEverything({ role, scope }: Pick<ApiKeyRecord, 'role' | 'scope'>): boolean {
  return mayActAs(role, 'operator') && isWhole(scope);
}

export function campaignsInScope(request: FastifyRequest): CampaignScope {
  const { countries, actionTypes } = scopeOf(request);
  return { countries, actionTypes };
}

/** Returns the clients whose objects a list may contain; undefined means all. */
export function clientsInScope(request: FastifyRequest): readonly string[] | undefined {
  return scopeOf(request).clients ?? undefined;
}

/** Returns the account whose objects a list may contain; undefined for a key without a scope, which may read all. */
export function accountInScope(request: FastifyRequest): string | undefined {
  const { scope, account } = callerOf(request);
  return isWhole(scope) ? undefined : account;
}

/**
 * Requires a scope that includes campaigns, because other keys receive no events of campaigns.
 * @throws {HttpProblem} 403
 */
export function requireSomeCampaigns(request: FastifyRequest): void {
  if (holdsSomeCampaigns(scopeOf(request))) return;
  throw outOfScope('this shows campaigns, and the scope of this key has none');
}

/**
 * Checks a client that is in a body or a filter.
 * @throws {HttpProblem} 403
 */
export function requireClientInScope(scope: Pick<Scope, 'clients'>, clientId: string, name: string): void {
  if (!holdsAll(scope.clients, [clientId])) throw outOfScope(`this key is not for the client ${JSON.stringify(name)}`);
}

/**
 * Checks the countries and action types of a campaign in a body.
 * @throws {HttpProblem} 403
 */
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
