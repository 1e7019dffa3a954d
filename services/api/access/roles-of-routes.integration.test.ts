import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { roles, type Role } from '../../../shared/domain/roles.ts';
import { digestOfApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { listedRoutes, type NeededRole } from '../../../test/support/route-table.ts';
import { problem } from '../frame/problems.contract.ts';

const methods = z.enum(['HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const document = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ 'x-required-role': z.string().optional(), 'x-scope': z.string().optional() })),
  ),
});

const on = apiOnPostgres({ begun: 'once' });
beforeAll(async () => {
  for (const role of roles) {
    await on.deps.apiKeys.add({ name: role, digest: digestOfApiKey(secretOf(role)), role });
  }
});

const secretOf = (role: Role) => `muster_the-key-of-a-${role}`;

/**
 * Requests a route.
 * @param route method and path, whose parameters are filled with an arbitrary text
 */
function ask(route: string, role?: Role) {
  const [method, path = ''] = route.split(' ');
  const headers = role === undefined ? {} : { authorization: `Bearer ${secretOf(role)}` };
  return on.api.server.inject({ method: methods.parse(method), url: path.replaceAll(/\{\w+\}/g, 'x'), headers });
}

it('every operation of the OpenAPI document is in the table, with its documented role and scope', async () => {
  const { paths } = document.parse((await on.api.server.inject('/openapi.json')).json());
  const written = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      `${operation['x-required-role'] ?? 'anybody'}, ${operation['x-scope'] ?? 'none'}`,
    ]),
  );
  const listed = listedRoutes.map(({ route, role, scope }) => [route, `${role}, ${scope}`]);
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(listed));
});

const routesFor = (role: NeededRole) => listedRoutes.filter((each) => each.role === role).map(({ route }) => route);

/** For each role that a route may need: the roles that the route refuses, and the roles that it accepts. */
const refusals: [NeededRole, refused: Role[], taken: Role[]][] = [
  ['viewer', [], ['viewer']],
  ['scheduler', ['viewer', 'manager'], ['scheduler', 'operator']],
  ['scheduler or manager', ['viewer'], ['scheduler', 'manager']],
  ['manager', ['viewer', 'scheduler', 'approver'], ['manager', 'operator']],
  ['approver', ['viewer', 'scheduler', 'manager'], ['approver', 'operator']],
  ['operator', ['scheduler', 'manager', 'approver'], ['operator']],
];

describe('a route', () => {
  it.each(routesFor('viewer'))('refuses a request without a key: %s', async (route) => {
    expect((await ask(route)).statusCode).toBe(401);
  });

  it.each(routesFor('viewer').filter((route) => route.startsWith('GET')))(
    'refuses a HEAD request without a key: %s',
    async (route) => {
      expect((await ask(route.replace('GET', 'HEAD'))).statusCode).toBe(401);
    },
  );

  it.each(
    refusals.flatMap(([role, refused]) =>
      routesFor(role).flatMap((route) => refused.map((by) => ({ route, by, role }))),
    ),
  )('refuses a $by: $route', async ({ route, by, role }) => {
    const response = await ask(route, by);
    expect(response.statusCode).toBe(403);
    const [requiredRole] = role.split(' or ');
    expect(problem.parse(response.json())).toMatchObject({ code: 'forbidden', requiredRole });
  });
});

describe('a route that needs a role which the caller has', () => {
  it.each(
    refusals.flatMap(([role, , taken]) => routesFor(role).flatMap((route) => taken.map((by) => ({ route, by })))),
  )('does not refuse a $by: $route', async ({ route, by }) => {
    expect([401, 403]).not.toContain((await ask(route, by)).statusCode);
  });
});
