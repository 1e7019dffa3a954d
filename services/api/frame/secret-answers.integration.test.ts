import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { bodyOf, exampleOf, resolved } from '../../../test/support/fuzz/body-schemas.ts';
import { isFields, type JsonFields, type JsonValue } from '../../../test/support/fuzz/json.ts';
import { operationsOf, readDocument, type Operation } from '../../../test/support/fuzz/operations.ts';
import { owning, teamsAndThings } from '../../../test/support/teams-and-things.ts';
import { apiDocument } from '../api-document.ts';
import { problem } from './problems.contract.ts';

/*
 * Each operation of the OpenAPI document whose answer holds a secret, requested twice under one Idempotency-Key.
 */

const on = apiOnPostgres({ begun: 'once' });
const written = await apiDocument();
const document = readDocument(written);
const paths = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) }).parse(written);
const marked = z.looseObject({ 'x-secret-answer': z.literal(true) });
const secretNames = /^(secret|link|token|password|clientSecret|apiKey)$/;
const headerName = 'idempotency-key';

/** Returns true if a field of the schema, also inside nested objects, is a text with the name of a secret. */
function holdsSecret(schema: JsonValue): boolean {
  const { properties, items } = resolved(schema, document);
  if (items !== undefined && holdsSecret(items)) return true;
  if (properties === undefined || !isFields(properties)) return false;
  return Object.entries(properties).some(
    ([name, inner]) => (secretNames.test(name) && isText(inner)) || holdsSecret(inner),
  );
}

function isText(schema: JsonValue): boolean {
  const { type, anyOf } = resolved(schema, document);
  if (Array.isArray(anyOf)) return anyOf.some(isText);
  return Array.isArray(type) ? type.includes('string') : type === 'string';
}

const withKey = operationsOf(document).filter(({ security }) => security?.length !== 0);
const named = withKey.map((operation) => ({ name: `${operation.method} ${operation.path}`, operation }));
const secretive = named.filter(
  ({ operation: { method, path } }) => marked.safeParse(paths.paths[path]?.[method.toLowerCase()]).success,
);

function answersOf({ responses }: Operation): JsonValue[] {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return good.flatMap(([, { content }]) => Object.values(content).map(({ schema }) => schema));
}

let things: Readonly<Record<string, string>>;
beforeAll(async () => {
  things = await teamsAndThings(on).begin();
  // Creates the client to which the example of a key refers.
  await on.ask('POST', '/v1/clients', { name: 'shop' });
  const endpoint = { name: 'orders', url: 'https://shop.example.com/orders' };
  const made = await on.ask('POST', `/v1/clients/${owning.client}/endpoints`, endpoint);
  expect(made.statusCode, made.body).toBeLessThan(300);
});

function pathOf({ path, parameters }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'endpoint') return 'orders';
    const { description = '' } = parameters.find((each) => each.in === 'path' && each.name === name) ?? {};
    return z.string({ error: `there is no thing whose id is ${description}` }).parse(things[description.slice(0, 3)]);
  });
}

function exampleBody(operation: Operation): JsonFields | undefined {
  const schema = bodyOf(operation, document);
  return schema?.['examples'] === undefined ? undefined : exampleOf(schema);
}

const tables = ['api_keys', 'api_key_secrets', 'client_endpoint_secrets', 'notifications', 'report_links'];

async function stored(): Promise<string> {
  const rows = await Promise.all([...tables, 'session_links'].map((table) => on.rowsOf(table)));
  // The time of a key's last use is ignored, because each request changes it.
  return JSON.stringify(rows.map((each) => each.map(({ last_used_at: _, ...row }) => row)));
}

async function post(key: string, url: string, payload: object | undefined) {
  const headers = { ...authorized, [headerName]: key };
  return await on.api.server.inject({ method: 'POST', url, headers, ...(payload && { payload }) });
}

describe('the OpenAPI document', () => {
  it('marks each operation whose answer contains a secret', () => {
    const found = named.filter(
      ({ operation }) => operation.method === 'POST' && answersOf(operation).some(holdsSecret),
    );
    expect(secretive.map(({ name }) => name).sort()).toEqual(found.map(({ name }) => name).sort());
    expect(secretive.length).toBeGreaterThanOrEqual(7);
  });

  it.each(secretive)(
    'declares Idempotency-Key and the refusal of a repeat at $name',
    ({ operation: { parameters, responses } }) => {
      expect(parameters.map(({ name }) => name)).toContain(headerName);
      expect(Object.keys(responses)).toContain('409');
    },
  );
});

describe('an answer with a secret', () => {
  it.each(secretive)(
    'is not returned again to a repeat of $name, which creates nothing',
    async ({ name, operation }) => {
      const ask = () => post(name.replaceAll(' ', '-'), pathOf(operation), exampleBody(operation));
      const first = await ask();
      expect(first.statusCode, first.body).toBeLessThan(300);
      const before = await stored();
      const again = await ask();
      expect([again.statusCode, problem.parse(again.json()).code]).toEqual([409, 'secret-not-kept']);
      expect(await stored()).toBe(before);
      const kept = JSON.stringify(await on.rowsOf('idempotency_keys'));
      for (const secret of secretsIn(first.json())) {
        expect(kept).not.toContain(secret);
        expect(again.body).not.toContain(secret);
      }
    },
  );

  it('is described to a repeat by the created object, and a refused request frees its Idempotency-Key', async () => {
    const key = { name: 'twice', role: 'viewer' };
    const send = (body: object) => post('a-key', '/v1/api-keys', body);
    expect((await send({ ...key, role: 'nobody' })).statusCode).toBe(422);
    const made = await send(key);
    expect(made.statusCode).toBe(201);
    expect((await send(key)).body).toContain(z.string().parse(made.headers.location));
    expect((await send({ ...key, name: 'another' })).statusCode).toBe(422);
  });

  it('is refused to a repeat, which creates nothing, if the process died before it stored the answer', async () => {
    const key = { name: 'broken off', role: 'viewer' };
    const send = () => post('broken-off', '/v1/api-keys', key);
    expect((await send()).statusCode).toBe(201);
    await on.pool.query(`update idempotency_keys set status = null where key = 'broken-off'`);
    expect(problem.parse((await send()).json()).code).toBe('request-in-progress');
    await on.passTime(61_000);
    expect(problem.parse((await send()).json())).toMatchObject({ code: 'secret-not-kept', status: 409 });
  });
});

/** Returns the texts in an answer whose field names are those of secrets. */
function secretsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    secretNames.test(name) && typeof inner === 'string' ? [inner] : secretsIn(inner),
  );
}
