import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Role } from '../../../shared/domain/roles.ts';
import { digestOfApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { problem } from '../frame/problems.contract.ts';

/**
 * Who may ask for what, written down once more: a route that is opened to more keys, by mistake or not, has to be
 * changed here as well.
 */
const routesOf: Record<Role | 'anybody', readonly string[]> = {
  anybody: ['GET /healthz', 'GET /readyz', 'POST /v1/session'],
  viewer: [
    'GET /v1/session',
    'DELETE /v1/session',
    'DELETE /v1/sessions',
    'POST /v1/session/links',
    'GET /v1/campaigns',
    'GET /v1/campaigns/{id}',
    'GET /v1/campaigns/counts',
    'GET /v1/campaigns/{id}/budgets',
    'GET /v1/runs',
    'GET /v1/runs/{id}',
    'GET /v1/runs/{id}/progress',
    'GET /v1/runs/{id}/rates',
    'GET /v1/runs/{id}/report',
    'GET /v1/runs/{id}/comparison',
    'GET /v1/live',
    'GET /v1/runs/{id}/cancel-preview',
    'GET /v1/runs/{id}/events',
    'GET /v1/runs/{id}/failures',
    'GET /v1/find',
    'GET /v1/runs/{id}/settlements',
    'GET /v1/runs/{id}/settlements/{settlementId}',
    'GET /v1/runs/{id}/users/{userId}',
    'GET /v1/runs/{id}/receipts',
    'GET /v1/audiences',
    'GET /v1/audiences/{id}',
    'GET /v1/audiences/{id}/rejects',
    'GET /v1/action-types',
    'GET /v1/action-types/{name}',
    'GET /v1/dead-letters',
    'GET /v1/dead-letters/groups',
    'GET /v1/dead-letters/{id}',
    'GET /v1/quarantined-steps',
    'GET /v1/quarantined-steps/{id}',
    'GET /v1/shards',
    'GET /v1/shards/{shard}',
    'GET /v1/audit',
    'GET /v1/clients',
    'GET /v1/clients/{id}',
    'GET /v1/clients/{id}/ledger',
    'GET /v1/clients/{id}/forecast',
    'GET /v1/schedules',
    'GET /v1/schedules/{id}',
    'POST /v1/schedules/preview',
    'GET /v1/schedules/{id}/preview',
    'GET /v1/schedules/{id}/occurrences',
    'GET /v1/groups',
    'GET /v1/groups/{name}',
    'GET /v1/dead-jobs',
    'GET /v1/dead-jobs/groups',
    'GET /v1/dead-jobs/{id}',
    'GET /v1/scheduler',
    'GET /v1/jobs',
    'GET /v1/jobs/{id}',
    'GET /v1/jobs/changes/{id}',
  ],
  manager: [
    'POST /v1/campaigns',
    'PATCH /v1/campaigns/{id}',
    'POST /v1/campaigns/{id}/start',
    'POST /v1/campaigns/{id}/estimate',
    'POST /v1/campaigns/{id}/unschedule',
    'POST /v1/campaigns/preview',
    'PATCH /v1/campaigns/{id}/budgets',
    'PATCH /v1/runs/{id}',
    'POST /v1/runs/{id}/pause',
    'POST /v1/runs/{id}/resume',
    'POST /v1/runs/{id}/cancel',
    'POST /v1/runs/{id}/retry-failed',
    'POST /v1/runs/{id}/settle',
    'POST /v1/audiences',
    'DELETE /v1/audiences/{id}',
    'PATCH /v1/schedules/{id}',
    'POST /v1/schedules/{id}/pause',
    'POST /v1/schedules/{id}/resume',
    'POST /v1/schedules/{id}/disable',
    'POST /v1/schedules/{id}/enable',
    'POST /v1/schedules/{id}/run-now',
    'POST /v1/schedules/{id}/backfill',
  ],
  operator: [
    'POST /v1/action-types',
    'PUT /v1/action-types/{name}',
    'PATCH /v1/action-types/{name}',
    'DELETE /v1/action-types/{name}',
    'PUT /v1/action-types/{name}/secrets/{secret}',
    'DELETE /v1/action-types/{name}/secrets/{secret}',
    'POST /v1/dead-letters/{id}/replay',
    'POST /v1/dead-letters/replay',
    'POST /v1/dead-letters/{id}/discard',
    'POST /v1/dead-letters/discard',
    'POST /v1/quarantined-steps/{id}/replay',
    'POST /v1/quarantined-steps/{id}/discard',
    'PATCH /v1/shards/{shard}',
    'POST /v1/clients',
    'PATCH /v1/clients/{id}',
    'POST /v1/clients/{id}/disable',
    'POST /v1/clients/{id}/enable',
    'POST /v1/clients/{id}/keys',
    'DELETE /v1/clients/{id}/keys/{keyId}',
    'POST /v1/schedules',
    'DELETE /v1/schedules/{id}',
    'PUT /v1/groups/{name}',
    'DELETE /v1/groups/{name}',
    'POST /v1/dead-jobs/{id}/replay',
    'POST /v1/dead-jobs/replay',
    'POST /v1/scheduler/regions/{region}/switch',
    'POST /v1/scheduler/regions/{region}/activate',
    'POST /v1/scheduler/hosts/enable',
    'POST /v1/jobs',
    'POST /v1/jobs/bulk',
    'POST /v1/jobs/{id}/cancel',
    'POST /v1/jobs/{id}/reschedule',
    'POST /v1/jobs/{id}/run-now',
    'POST /v1/jobs/changes',
    'POST /v1/receipts',
  ],
};

const methods = z.enum(['HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ 'x-required-role': z.string().optional() }))),
});

const on = apiOnPostgres({ begun: 'once' });
beforeAll(async () => {
  for (const role of ['viewer', 'manager', 'operator'] as const) {
    await on.deps.apiKeys.add(role, digestOfApiKey(secretOf(role)), role);
  }
});

const secretOf = (role: Role) => `muster_the-key-of-a-${role}`;

/** @param route a method and a path, whose parameters are filled in with anything */
function ask(route: string, role?: Role) {
  const [method, path = ''] = route.split(' ');
  const headers = role === undefined ? {} : { authorization: `Bearer ${secretOf(role)}` };
  return on.api.server.inject({ method: methods.parse(method), url: path.replaceAll(/\{\w+\}/g, 'x'), headers });
}

it('every operation of the OpenAPI document is in the list of roles, with the role that the document says', async () => {
  const { paths } = document.parse((await on.api.server.inject('/openapi.json')).json());
  const written = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      operation['x-required-role'] ?? 'anybody',
    ]),
  );
  const listed = Object.entries(routesOf).flatMap(([role, routes]) => routes.map((route) => [route, role]));
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(listed));
});

describe('a route is refused', () => {
  it.each(routesOf.viewer)('to a request without a key: %s', async (route) => {
    expect((await ask(route)).statusCode).toBe(401);
  });

  it.each(routesOf.viewer.filter((route) => route.startsWith('GET')))(
    'to a request of its head without a key: %s',
    async (route) => {
      expect((await ask(route.replace('GET', 'HEAD'))).statusCode).toBe(401);
    },
  );

  it.each(routesOf.manager)('to a viewer: %s', async (route) => {
    const response = await ask(route, 'viewer');
    expect(response.statusCode).toBe(403);
    expect(problem.parse(response.json())).toMatchObject({ code: 'forbidden', requiredRole: 'manager' });
  });

  it.each(routesOf.operator)('to a manager: %s', async (route) => {
    const response = await ask(route, 'manager');
    expect(response.statusCode).toBe(403);
    expect(problem.parse(response.json())).toMatchObject({ code: 'forbidden', requiredRole: 'operator' });
  });
});

describe('a route is not refused', () => {
  it.each(routesOf.manager)('to a manager: %s', async (route) => {
    expect([401, 403]).not.toContain((await ask(route, 'manager')).statusCode);
  });

  it.each(routesOf.operator)('to an operator: %s', async (route) => {
    expect([401, 403]).not.toContain((await ask(route, 'operator')).statusCode);
  });
});
