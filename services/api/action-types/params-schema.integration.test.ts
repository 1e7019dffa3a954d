import SwaggerParser from '@apidevtools/swagger-parser';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { actionType } from './action-types.contract.ts';
import { problem } from '../frame/problems.contract.ts';
import { createActionTypeStore } from './postgres/action-type-store.ts';

const on = apiOnPostgres();

const path = '/v1/action-types/award-reward';
const rewardSchema = {
  type: 'object',
  required: ['rewardId'],
  properties: {
    rewardId: { type: 'string', pattern: '^[a-z0-9-]+$' },
    units: { type: 'integer', minimum: 1, maximum: 100 },
    channel: { enum: ['push', 'email'] },
    until: { type: 'string', format: 'date' },
    tags: { type: 'array', maxItems: 2, items: { $ref: '#/$defs/tag' } },
  },
  additionalProperties: false,
  $defs: { tag: { type: 'string', minLength: 1 } },
  examples: [{ rewardId: 'ride-7', units: 1 }],
};

function ask(method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) {
  return on.api.server.inject({ method, url, headers: authorized, ...(payload && { payload }) });
}

const describeRewards = (paramsSchema: unknown = rewardSchema) => ask('PATCH', path, { paramsSchema });
const campaignWith = (params: unknown) =>
  ask('POST', '/v1/campaigns', { ...someCampaign, chain: [{ action: 'award-reward', params }] });

/** Returns the problems of an answer, one a line, as `pointer code: detail`. */
function problemsOf(answer: Awaited<ReturnType<typeof ask>>): string[] {
  return problem.parse(answer.json()).errors.map(({ pointer, code, detail }) => `${pointer} ${code}: ${detail}`);
}

describe('the schema of an action’s parameters', () => {
  it('is stored and shown with its action type', async () => {
    expect((await describeRewards()).json()).toMatchObject({ paramsSchema: rewardSchema });
    const { items } = pageShape(actionType).parse((await ask('GET', '/v1/action-types')).json());
    expect(items.find(({ name }) => name === 'award-reward')?.paramsSchema).toEqual(rewardSchema);
  });

  it('is removed by a change to null', async () => {
    await describeRewards();
    expect((await describeRewards(null)).json()).not.toHaveProperty('paramsSchema');
    expect((await campaignWith({ anything: 1 })).statusCode).toBe(201);
  });

  it.each<[string, object, string]>([
    ['a bound that is none', { properties: { units: { minimum: 'one' } } }, '/paramsSchema/properties/units/minimum'],
    ['a keyword that nobody knows', { minimun: 1 }, '/paramsSchema/minimun'],
    ['another’s schema', { $ref: 'https://x.test/schema' }, '/paramsSchema/$ref'],
    [
      'a pattern that may take for ever',
      { properties: { id: { pattern: '^(a+)+$' } } },
      '/paramsSchema/properties/id/pattern',
    ],
  ])('is refused for %s, with a pointer to the fault', async (_name, schema, pointer) => {
    const refused = await describeRewards(schema);
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors.map((error) => error.pointer)).toEqual([pointer]);
  });

  it('may state its JSON Schema dialect', async () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect((await describeRewards({ ...rewardSchema, $schema })).statusCode).toBe(200);
    expect((await campaignWith({ rewardId: 'ride-5' })).statusCode).toBe(201);
  });
});

describe('a campaign whose action has a schema', () => {
  beforeEach(async () => {
    await describeRewards();
  });

  it('is accepted if the parameters match the schema', async () => {
    const params = { rewardId: 'ride-5', units: 2, channel: 'push', until: '2026-12-31', tags: ['a', 'b'] };
    expect((await campaignWith(params)).statusCode).toBe(201);
  });

  it('is refused with one problem for each invalid parameter, with the given and the expected value', async () => {
    const refused = await campaignWith({ units: 0, channel: 'fax', until: 'soon', tags: ['', 7, 'c'], unit: 2 });
    expect(refused.statusCode).toBe(422);
    expect(problemsOf(refused).sort()).toEqual([
      '/chain/0/params/channel invalid-value: has to be "push" or "email", not "fax"',
      '/chain/0/params/rewardId missing: is missing: has to be a string',
      '/chain/0/params/tags wrong-length: has to be at most 2 items long, not 3',
      '/chain/0/params/tags/0 wrong-length: has to be at least 1 character long, not 0',
      '/chain/0/params/tags/1 wrong-type: has to be a string, not 7',
      '/chain/0/params/unit unknown-field: "unit" is not accepted here; known are tags, units, until, channel, rewardId: did you mean units?',
      '/chain/0/params/units out-of-range: has to be at least 1, not 0',
      '/chain/0/params/until invalid-value: has to be a date such as 2026-12-01, not "soon"',
    ]);
  });

  it('is refused for a text that does not match its pattern, or that is too long to be checked against the pattern', async () => {
    expect(problemsOf(await campaignWith({ rewardId: 'Ride 5' }))).toEqual([
      '/chain/0/params/rewardId invalid-value: has to be like ^[a-z0-9-]+$, in at most 256 characters, not "Ride 5"',
    ]);
    expect((await campaignWith({ rewardId: 'a'.repeat(256) })).statusCode).toBe(201);
    expect((await campaignWith({ rewardId: 'a'.repeat(257) })).statusCode).toBe(422);
  });

  it('is refused without required parameters, together with its other problems', async () => {
    const body = { ...someCampaign, name: '', chain: [{ action: 'award-reward' }] };
    expect(problemsOf(await ask('POST', '/v1/campaigns', body)).map((line) => line.split(' ')[0])).toEqual([
      '/name',
      '/chain/0/params/rewardId',
    ]);
  });

  it('is refused quickly if the parameters have more values than are checked', async () => {
    await describeRewards({
      properties: { tags: { items: { anyOf: Array.from({ length: 200 }, (_, n) => ({ const: n })) } } },
    });
    expect(problemsOf(await campaignWith({ tags: Array.from({ length: 2500 }, () => -1) }))).toEqual([
      '/chain/0/params too-large: has to have at most 2000 values, where they are checked, not 2502',
    ]);
    const many = problemsOf(await campaignWith({ tags: Array.from({ length: 1500 }, () => -1) }));
    expect(many).toEqual(['/chain/0/params/tags/0 invalid-value: fits none of the forms that it may have']);
    const few = problemsOf(await campaignWith({ tags: Array.from({ length: 3 }, () => -1) }));
    expect(few).toHaveLength(3);
  });

  it('has one problem if a value matches none of several alternatives in the schema', async () => {
    await describeRewards({ anyOf: [{ required: ['rewardId'] }, { required: ['voucher'] }] });
    expect(problemsOf(await campaignWith({}))).toEqual([
      '/chain/0/params invalid-value: fits none of the forms that it may have',
    ]);
  });

  it('does not start if the schema has changed since its creation and the parameters no longer match', async () => {
    const { links } = z
      .object({ links: z.object({ start: z.string() }) })
      .parse((await campaignWith({ rewardId: 'ride-5', units: 50 })).json());
    await describeRewards({ ...rewardSchema, properties: { ...rewardSchema.properties, units: { maximum: 10 } } });

    const refused = await ask('POST', links.start);

    expect(refused.statusCode).toBe(409);
    expect(problemsOf(refused)).toEqual(['/chain/0/params/units out-of-range: has to be at most 10, not 50']);
    await describeRewards();
    expect((await ask('POST', links.start)).statusCode).toBe(200);
  });

  it('is refused if a newer version of Muster stored a schema that this version cannot read', async () => {
    const kept = await createActionTypeStore(on.deps).get('award-reward');
    if (!kept) throw new Error('it is gone');
    const config = { ...kept.config, paramsSchema: { type: 'tensor' } };
    await createActionTypeStore(on.deps).change('award-reward', { config }, null);
    expect(problemsOf(await campaignWith({})).join()).toContain('/chain/0/action unreadable-schema');
  });
});

describe('the OpenAPI document', () => {
  const document = z.looseObject({
    components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }),
  });

  it('has the parameters of the registered actions and a valid example', async () => {
    await describeRewards();
    await on.deps.catalogue.refresh();
    const { body } = await ask('GET', '/openapi.json');
    const openApi = document.parse(JSON.parse(body));
    const { schemas } = openApi.components;
    expect(schemas['Params.award-reward']).toMatchObject({
      required: ['rewardId'],
      properties: { tags: { items: { $ref: '#/components/schemas/Params.award-reward/$defs/tag' } } },
    });
    const definition = z
      .object({
        properties: z.object({ chain: z.object({ items: z.object({ allOf: z.array(z.unknown()) }) }) }),
        examples: z.tuple([z.object({ chain: z.array(z.unknown()) })]),
      })
      .parse(schemas['CampaignDefinitionInput']);
    expect(definition.properties.chain.items.allOf).toEqual([
      {
        if: { properties: { action: { const: 'award-reward' } }, required: ['action'] },
        then: {
          properties: { params: { $ref: '#/components/schemas/Params.award-reward' } },
          required: ['params'],
        },
      },
    ]);
    expect(definition.examples[0].chain[0]).toEqual({
      action: 'award-reward',
      params: { rewardId: 'ride-7', units: 1 },
    });

    const folder = mkdtempSync(join(tmpdir(), 'muster-openapi-'));
    const file = join(folder, 'openapi.json');
    writeFileSync(file, body);
    await expect(SwaggerParser.validate(file)).resolves.toBeDefined();
    rmSync(folder, { recursive: true });

    await describeRewards(null);
    await on.deps.catalogue.refresh();
    expect((await ask('GET', '/openapi.json')).body).not.toContain('Params.award-reward');
  });
});
