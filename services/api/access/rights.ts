import type { FastifyRequest } from 'fastify';
import { mayActAs } from '../../../shared/domain/roles.ts';
import { holdsReach, type CampaignReach } from '../../../shared/domain/scopes.ts';
import { requireRole } from './route-roles.ts';
import { callerOf, isOperatorOfEverything, outOfScope } from './scopes.ts';
import type { ApiKeyRecord } from './credentials/postgres/key-rows.ts';

/*
 * Rights that depend on more than the role and the scope that a route declares. Other folders of the API call these
 * functions, and never compare roles themselves (lint rule house/rights-in-access).
 */

type Holder = Pick<ApiKeyRecord, 'role' | 'scope'>;

/**
 * Names of body fields that only an operator without a scope may set, on any route. The check covers only the top level
 * of a body. In an inner object, such as `endpoint`, the scope of the route must protect the field.
 */
export const fieldsOfOperators = ['egress'] as const;

/**
 * Checks that only an operator without a scope has sent these fields. Runs for each route, so that no handler can
 * forget it.
 * @throws {HttpProblem} 403 if the caller is not an operator, or if its key has a scope
 */
export function checkFieldsOfOperators(request: FastifyRequest): void {
  const { apiKey, body } = request;
  if (!apiKey || typeof body !== 'object' || body === null || isOperatorOfEverything(apiKey)) return;
  const field = fieldsOfOperators.find((name) => Object.hasOwn(body, name));
  if (field === undefined) return;
  requireRole(request, 'operator');
  throw outOfScope(`${field} is set for the whole installation, and this key has a scope`);
}

/** Returns true if the caller may read headers, bodies and responses of jobs. A viewer may only read how jobs ended. */
export function canReadJobContents(request: FastifyRequest): boolean {
  return mayActAs(callerOf(request).role, 'scheduler');
}

/**
 * Requires the role manager for a schedule of a campaign, and scheduler for one of a client.
 * @throws {HttpProblem} 403
 */
export function requireScheduleChanger(request: FastifyRequest, campaignId: string | null): void {
  requireRole(request, campaignId === null ? 'scheduler' : 'manager');
}

/**
 * Returns true if the key may share the report of a run with these countries and action types with people who have no
 * key. When this becomes false, by revocation, expiry, or a change of role or scope, the key's links end.
 */
export function mayShareRun(
  { state, role, scope }: Holder & Pick<ApiKeyRecord, 'state'>,
  reach: CampaignReach,
): boolean {
  return state === 'active' && mayActAs(role, 'manager') && holdsReach(scope, reach);
}

/** Returns the reason why a key may not approve a campaign with these countries and action types; null if it may. */
export function approverRefusal({ role, scope }: Holder, reach: CampaignReach): string | null {
  if (!mayActAs(role, 'approver')) return `this key has the role ${role}, and approving needs approver`;
  return holdsReach(scope, reach) ? null : 'the scope of this key does not hold all of its countries and actions';
}
