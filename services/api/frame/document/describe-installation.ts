import type { CampaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { z } from 'zod';
import type { ParamsSchema } from '../../../../shared/contracts/endpoints/action-type-config.ts';
import type { Catalogue } from '../../../../shared/contracts/endpoints/engine-config.ts';
import { referredTo } from './describe-answers.ts';
import { fieldsOf } from './prune-components.ts';

/** Adds the countries and actions of this installation, and an example campaign that it accepts. */
export function describeInstallation(document: unknown, config: Catalogue): void {
  const definition = fieldsIn(document, 'components', 'schemas', 'CampaignDefinitionInput');
  const { countries, chain } = fieldsOf(definition['properties']);
  fieldsOf(countries)['items'] = { type: 'string', ...(config.countries && { enum: config.countries }) };
  const action = fieldsIn(chain, 'items', 'properties', 'action');
  action['enum'] = Object.keys(config.actionTypes);
  describeParams(document, fieldsIn(chain, 'items'), config);
  definition['examples'] = [exampleCampaign(config)];
  for (const path of ['/v1/campaigns/{id}', '/v1/runs/{id}']) {
    const getAnswer = fieldsIn(document, 'paths', path, 'get', 'responses', '200');
    getAnswer['headers'] = { ...fieldsOf(getAnswer['headers']), ...referredTo(['ETag']) };
  }
}

/**
 * Adds a component for the parameters of each action type with a schema. In the schema of a step, a condition on the
 * action's name selects the component.
 */
function describeParams(document: unknown, step: Record<string, unknown>, { actionTypes }: Catalogue): void {
  const components = fieldsIn(document, 'components', 'schemas');
  const described = Object.entries(actionTypes).flatMap(([name, { paramsSchema }]) =>
    paramsSchema ? [{ name, component: `Params.${name}`, paramsSchema }] : [],
  );
  for (const { component, paramsSchema } of described) components[component] = withOwnRefs(paramsSchema, component);
  if (described.length === 0) return;
  step['allOf'] = described.map(({ name, component, paramsSchema }) => ({
    if: { properties: { action: { const: name } }, required: ['action'] },
    then: {
      properties: { params: { $ref: `#/components/schemas/${component}` } },
      // Missing parameters count as an empty object. `params` is therefore required only if the schema has required
      // fields.
      ...(Array.isArray(paramsSchema['required']) && paramsSchema['required'].length > 0 && { required: ['params'] }),
    },
  }));
}

/** Rewrites references inside a schema, so that they point to the place of the schema in the document. */
function withOwnRefs(schema: unknown, component: string): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withOwnRefs(each, component));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]: [string, unknown]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace(/^#\//, `#/components/schemas/${component}/`)
        : withOwnRefs(value, component),
    ]),
  );
}

function fieldsIn(value: unknown, ...path: readonly string[]): Record<string, unknown> {
  return path.reduce((inner, name) => fieldsOf(inner[name]), fieldsOf(value));
}

/**
 * Returns the first example of the schema, otherwise parameters for the endpoints of the sandbox. Other types get an
 * empty object.
 */
function exampleParamsOf(action: string, schema: ParamsSchema | undefined): ExampleParams {
  const [example] = z.array(z.record(z.string(), z.json())).catch([]).parse(schema?.['examples']);
  return example ?? (Object.hasOwn(exampleParams, action) ? exampleParams[action] : undefined) ?? {};
}

type ExampleParams = CampaignDefinition['chain'][number]['params'];

/** Example parameters of action types that have no schema. */
const exampleParams: Record<string, ExampleParams> = {
  'award-reward': { rewardId: 'ride-5', units: 2 },
  'award-points': { points: 100 },
  'send-message': { template: 'congratulations' },
};

const exampleSteps = 2;
const exampleCountries = 3;

/** Returns the campaign of the demo, reduced to the countries and actions of this installation. */
export function exampleCampaign({ countries = ['SG'], actionTypes }: Catalogue) {
  return {
    name: 'Lapsed riders, December',
    countries: countries.slice(0, exampleCountries),
    audience: { include: [{ segment: 'lapsed-riders' }] },
    chain: Object.keys(actionTypes)
      .slice(0, exampleSteps)
      .map((action) => ({ action, params: exampleParamsOf(action, actionTypes[action]?.paramsSchema) })),
    schedule: { type: 'now' },
  };
}
