import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issuedApiKey } from '../../../shared/contracts/access/api-keys.ts';
import { createdNotification } from '../../../shared/contracts/notifications/notifications.ts';
import { mayActAs, roles, type Role } from '../../../shared/domain/roles.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { bodyOf, exampleOf, fieldsWithin, resolved } from '../../../test/support/fuzz/body-schemas.ts';
import { isFields, type JsonFields, type JsonValue } from '../../../test/support/fuzz/json.ts';
import { readDocument, type OpenApiDocument, type Operation } from '../../../test/support/fuzz/operations.ts';
import { guardedRoutes, type GuardedRoute } from '../../../test/support/guarded-routes.ts';
import {
  owning,
  owningCountries,
  reaches,
  secretOf,
  teamsAndThings,
  type Reach,
} from '../../../test/support/teams-and-things.ts';
import { apiDocument } from '../api-document.ts';
import { problem } from '../frame/problems.contract.ts';
import { fieldsOfOperators } from './rights.ts';
import type { RouteScope } from './scopes.ts';

/*
 * Requests every operation of the OpenAPI document with each role and each kind of scope. A new route is tested without
 * a change of this file: its role and its scope are in the document, and its path is filled with an object of the team
 * `own`.
 */

const on = apiOnPostgres({ begun: 'once' });
const teams = teamsAndThings(on);
const written = await apiDocument();
const document = readDocument(written);
const guarded = guardedRoutes(written);
/** The document as the running API serves it. Its examples have the action types of the installation. */
let served: OpenApiDocument;
let things: Readonly<Record<string, string>>;

beforeAll(async () => {
  things = await teams.begin();
  served = readDocument((await on.api.server.inject('/openapi.json')).json());
});

const callers = roles.flatMap((role) => reaches.map((reach) => ({ role, reach, name: `${role}, ${reach}` })));

type Verdict = 'admitted' | 'forbidden' | 'out-of-scope' | 'not-yours' | 'missing';

function mayPlay(role: Role, needed: readonly string[]): boolean {
  return roles.some((each) => needed.includes(each) && mayActAs(role, each));
}

/** Beginnings of paths whose objects belong to no campaign. */
const ofNoCampaign = ['/v1/suppressions/', '/v1/quarantine/messages/'];

/** Returns the expected verdict on a request whose path contains the id of an object of the team `own`. */
function expectedOfPath(
  { operation: { method, path }, needed, scope }: GuardedRoute,
  role: Role,
  reach: Reach,
): Verdict {
  if (!mayPlay(role, needed)) return 'forbidden';
  const isOwn = reach === 'own' || reach === 'none';
  const isSeen = isOwn || reach === 'part';
  const namesThing = path.includes('{id}');
  switch (scope) {
    case 'none':
    case 'own':
      return 'admitted';
    case 'calculation':
      return isSeen || !namesThing ? 'admitted' : 'missing';
    case 'installation':
      return reach === 'none' ? 'admitted' : 'out-of-scope';
    case 'client':
    case 'schedule':
      return isSeen || !namesThing ? 'admitted' : 'missing';
    case 'key':
      return isOwn || !namesThing ? 'admitted' : 'missing';
    case 'campaign':
      if (!isSeen && namesThing) return 'missing';
      return isOwn || !namesThing || method === 'GET' ? 'admitted' : 'out-of-scope';
    case 'users':
      if (ofNoCampaign.some((each) => path.startsWith(each))) return reach === 'none' ? 'admitted' : 'out-of-scope';
      if (isOwn) return 'admitted';
      return reach === 'part' ? 'out-of-scope' : 'missing';
    case 'account':
      if (!namesThing || reach === 'own') return 'admitted';
      if (reach !== 'none') return 'missing';
      return method === 'GET' || role === 'operator' ? 'admitted' : 'not-yours';
  }
}

const hidden = [
  ...['job', 'jobChange', 'schedule', 'client', 'notification', 'apiKey', 'campaign', 'template', 'run', 'audience'],
  ...['exact-count', 'approval', 'quarantinedStep'],
].map((kind) => `${kind}-not-found`);

type Answer = Awaited<ReturnType<typeof on.ask>>;

/** Response with a result for each item of a request that may refer to several teams. */
const perItem = z.object({
  results: z.array(z.object({ errors: z.array(z.object({ code: z.string() })).optional() })),
});

function verdictOn({ statusCode, json, headers, body }: Answer): Verdict {
  const isJson = statusCode === 200 && String(headers['content-type']).startsWith('application/json');
  const items = isJson ? (perItem.safeParse(json()).data?.results ?? []) : [];
  if (items.some(({ errors }) => errors?.some(({ code }) => code === 'out-of-scope'))) return 'out-of-scope';
  expect([429, 500], `no verdict: ${body}`).not.toContain(statusCode);
  if (statusCode !== 403 && statusCode !== 404) return 'admitted';
  const { code } = problem.parse(json());
  if (statusCode === 404) return hidden.includes(code) ? 'missing' : 'admitted';
  return z.enum(['forbidden', 'out-of-scope', 'not-yours']).parse(code);
}

const bound: readonly RouteScope[] = ['client', 'schedule', 'campaign', 'users', 'calculation', 'account', 'key'];

/** A route, and a kind of object that its path may contain. */
interface NamingRoute extends GuardedRoute {
  kind: string;
}

/** Returns the route once for each kind of id that its path may contain, such as `aud` and `sav`. */
function byKind(route: GuardedRoute): NamingRoute[] {
  const { path, parameters } = route.operation;
  if (path.startsWith('/v1/quarantine/jobs')) return [{ ...route, kind: 'dead-jobs' }];
  const { description = '' } = parameters.find((each) => each.in === 'path' && each.name === 'id') ?? {};
  const kinds = [...description.matchAll(/\b([a-z]{3})_…/g)].map(([, kind = '']) => kind);
  if (kinds.length < 2) return [{ ...route, kind: kinds[0] ?? description.slice(0, 3) }];
  return kinds.map((kind) => ({ ...route, kind, name: `${route.name} of ${kind}_…` }));
}

/** Returns the path with the id of an object of the team `own`. Throws if the team has no object of this kind. */
function pathOf({ operation: { path }, scope, kind }: NamingRoute): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name !== 'id') return 'x';
    if (!bound.includes(scope)) return scope === 'installation' ? (things[kind] ?? 'x') : 'x';
    return z.string({ error: `the team has no thing whose id is ${kind}_…` }).parse(things[kind]);
  });
}

interface TableRequest {
  method: Operation['method'];
  url: string;
  payload?: string;
  type?: string;
}

async function verdict({ method, url, payload, type = 'application/json' }: TableRequest, role: Role, reach: Reach) {
  const headers = { authorization: `Bearer ${secretOf(role, reach)}` };
  const body = payload === undefined ? {} : { payload };
  const typed = payload === undefined ? headers : { ...headers, 'content-type': type };
  return verdictOn(await on.api.server.inject({ method, url, headers: typed, ...body }));
}

/**
 * Makes the request as each caller. The requests are sent one after the other, because there are few slots for heavy
 * requests. Returns the verdicts by caller.
 */
async function ask(tableRequest: TableRequest): Promise<Record<string, Verdict>> {
  const verdicts: Record<string, Verdict> = {};
  for (const { role, reach, name } of callers) verdicts[name] = await verdict(tableRequest, role, reach);
  return verdicts;
}

function table(verdictOf: (role: Role, reach: Reach) => Verdict): Record<string, Verdict> {
  return Object.fromEntries(callers.map(({ role, reach, name }) => [name, verdictOf(role, reach)]));
}

describe('access by the path of a request, for each role and scope', () => {
  it.each(guarded.flatMap(byKind))('matches the access table: $name', async (route) => {
    const { method } = route.operation;
    // The body cannot be parsed. It is refused after the caller was admitted, and before anything is changed.
    const payload = route.scope === 'key' ? '{}' : '{';
    const tableRequest = { method, url: pathOf(route), ...(method !== 'GET' && { payload }) };
    expect(await ask(tableRequest)).toEqual(table((role, reach) => expectedOfPath(route, role, reach)));
  });
});

/** Replaces each client, country and action type in a body with the one of the owning team. */
function ofOwningTeam(value: JsonValue, name = ''): JsonValue {
  if (name === 'countries' && Array.isArray(value)) return owningCountries;
  if (Array.isArray(value)) return value.map((each) => ofOwningTeam(each));
  if (isFields(value))
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, ofOwningTeam(inner, field)]));
  if (typeof value !== 'string') return value;
  const names: Readonly<Record<string, string>> = owning;
  return names[name] ?? value;
}

const changing = guarded.filter(({ operation: { method, path } }) => method !== 'GET' && !path.includes('{id}'));

describe('access by the body of a request that refers to another team, for each role and scope', () => {
  const scoped = changing.filter(({ scope }) => ['client', 'schedule', 'campaign'].includes(scope));
  const ofOneCountry = ['POST /v1/audiences/upload', 'POST /v1/action-types/{name}/preview'];

  it.each(scoped.filter(({ name }) => !ofOneCountry.includes(name)))(
    'matches the access table: $name',
    async (route) => {
      const { operation, needed } = route;
      const schema = bodyOf(operation, served) ?? expect.fail('a route that takes what a scope bounds has a body');
      const properties = z.record(z.string(), z.json()).parse(schema['properties'] ?? {});
      const example = { ...exampleOf(schema), ...(properties['client'] !== undefined && { client: owning.client }) };
      const payload = JSON.stringify(ofOwningTeam(example));
      expect(await ask({ method: operation.method, url: operation.path, payload })).toEqual(
        table((role, reach) => {
          if (!mayPlay(role, needed)) return 'forbidden';
          const isHeld = reach === 'own' || reach === 'none' || (reach === 'part' && route.scope !== 'campaign');
          return isHeld ? 'admitted' : 'out-of-scope';
        }),
      );
    },
  );

  const tableOfOneCountry = table((role, reach) => {
    if (!mayActAs(role, 'manager')) return 'forbidden';
    return reach === 'other' || reach === 'empty' ? 'out-of-scope' : 'admitted';
  });

  it('matches the access table for POST /v1/audiences/upload, where the query contains the country', async () => {
    const url = `/v1/audiences/upload?name=riders&country=${owning.country}`;
    expect(await ask({ method: 'POST', url, payload: 'u1\n', type: 'text/csv' })).toEqual(tableOfOneCountry);
  });

  it('matches the access table for POST /v1/action-types/{name}/preview, where the path contains the action type', async () => {
    const url = `/v1/action-types/${owning.action}/preview`;
    const payload = JSON.stringify({ user: 'u1', country: owning.country });
    expect(await ask({ method: 'POST', url, payload })).toEqual(tableOfOneCountry);
  });

  it('requires a scope that includes campaigns for a subscription to campaign events by POST /v1/notifications', async () => {
    const payload = JSON.stringify({ url: 'https://shop.example.com/hook', events: ['key.ending', 'run.ended'] });
    expect(await ask({ method: 'POST', url: '/v1/notifications', payload })).toEqual(
      table((role, reach) => {
        if (!mayActAs(role, 'manager')) return 'forbidden';
        return reach === 'empty' ? 'out-of-scope' : 'admitted';
      }),
    );
  });
});

describe('a field that only an operator with the whole scope may set', () => {
  const withField = guarded.flatMap(byKind).flatMap((route) => {
    const fields = fieldsWithin(bodyOf(route.operation, document) ?? {}, document);
    return fieldsOfOperators.filter((field) => fields.includes(field)).map((field) => ({ ...route, field }));
  });

  it('is found in the bodies of all requests: egress, for example, in those of notifications', () => {
    const names = withField.map(({ name, field }) => `${name} ${field}`);
    expect(names).toEqual(
      expect.arrayContaining(['POST /v1/notifications egress', 'PATCH /v1/notifications/{id} egress']),
    );
  });

  const propertiesOf = (schema: JsonFields) => z.record(z.string(), z.json()).parse(schema['properties'] ?? {});
  /** Returns the fields at the places of a body where such fields may be. */
  const placesOf = (schema: JsonFields) => {
    const properties = propertiesOf(schema);
    const inner = propertiesOf(resolved(properties['endpoint'] ?? {}, document));
    return { top: Object.keys(properties), endpoint: Object.keys(inner) };
  };

  it.each(withField)(
    'occurs once, at the top level of the body or of its endpoint: $name, $field',
    ({ operation, field }) => {
      const schema = bodyOf(operation, served) ?? {};
      const { top, endpoint } = placesOf(schema);
      expect([...top, ...endpoint].filter((each) => each === field)).toHaveLength(1);
      expect(fieldsWithin(schema, document).filter((each) => each === field)).toHaveLength(1);
    },
  );

  it.each(withField)('is refused if any other caller sends it: $name, $field', async (route) => {
    const { operation, needed, field, scope } = route;
    const schema = bodyOf(operation, served) ?? {};
    const withinIt = { [field]: { allow: [] } };
    const added = placesOf(schema).top.includes(field) ? withinIt : { endpoint: withinIt };
    const payload = JSON.stringify({ ...exampleOf(schema), ...added });
    const verdicts = await ask({ method: operation.method, url: pathOf(route), payload });
    expect(verdicts).toEqual(
      table((role, reach) => {
        const ofPath = expectedOfPath(route, role, reach);
        if (ofPath !== 'admitted') return ofPath;
        if (role !== 'operator') return 'forbidden';
        return reach === 'none' ? 'admitted' : 'out-of-scope';
      }),
    );
    expect(mayPlay('operator', needed), scope).toBe(true);
  });
});

describe('a field that would give a key more rights than its creator has', () => {
  const ownScope = { clients: [owning.client], countries: [owning.country], actionTypes: [owning.action] };
  const most = { clients: null, countries: null, actionTypes: null, users: true };
  const beyond = Object.entries(most).map(([name, all]) => ({
    field: `scope.${name}`,
    scope: { ...ownScope, [name]: all },
  }));
  const others = callers.filter(({ role, reach }) => role !== 'operator' || reach !== 'none');

  it('is covered by this test for each part of a scope that limits access', () => {
    const route = guarded.find(({ name }) => name === 'POST /v1/api-keys') ?? expect.fail('keys are made');
    const properties = z.record(z.string(), z.json()).parse(bodyOf(route.operation, document)?.['properties']);
    expect(fieldsWithin(properties['scope'] ?? {}, document).toSorted()).toEqual(Object.keys(most).toSorted());
  });

  it.each(beyond)(
    'is refused by POST /v1/api-keys to all but operators with the whole scope: $field',
    async ({ scope }) => {
      const payload = JSON.stringify({ name: 'more', role: 'viewer', scope });
      expect(await ask({ method: 'POST', url: '/v1/api-keys', payload })).toEqual(
        table((role, reach) => {
          if (role !== 'operator') return 'forbidden';
          return reach === 'none' ? 'admitted' : 'out-of-scope';
        }),
      );
    },
  );

  it.each(beyond)('is refused by PATCH /v1/api-keys/{id}: $field', async ({ field, scope }) => {
    const made = await on.ask('POST', '/v1/api-keys', { name: field, role: 'viewer', scope: ownScope });
    const { key } = issuedApiKey.parse(made.json());
    const change = { method: 'PATCH', url: `/v1/api-keys/${key.id}`, payload: JSON.stringify({ scope }) } as const;
    for (const { role, reach, name } of others) {
      const isSeen = reach === 'own' || reach === 'part';
      const expected = role !== 'operator' ? 'forbidden' : isSeen ? 'out-of-scope' : 'missing';
      expect(await verdict(change, role, reach), name).toBe(expected);
    }
    // This change comes last, because it succeeds and changes the key.
    expect(await verdict(change, 'operator', 'none')).toBe('admitted');
  });

  it.each(['manager', 'operator'] as const)(
    'is refused by PATCH /v1/notifications/{id} for events about campaigns, by a %s',
    async (role) => {
      const headers = { authorization: `Bearer ${secretOf(role, 'empty')}` };
      const payload = { url: 'https://shop.example.com/hook', events: ['key.ending'] };
      const made = await on.api.server.inject({ method: 'POST', url: '/v1/notifications', headers, payload });
      const { notification } = createdNotification.parse(made.json());
      const change = JSON.stringify({ events: ['run.ended'] });
      const request = { method: 'PATCH', url: `/v1/notifications/${notification.id}`, payload: change } as const;
      expect(await verdict(request, role, 'empty')).toBe('out-of-scope');
      expect(await verdict(request, role, 'other')).toBe('missing');
    },
  );
});
