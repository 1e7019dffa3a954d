import type { CampaignDefinition } from '../../shared/contracts/campaigns.ts';
import type { Catalogue } from '../../shared/contracts/engine-config.ts';
import { referredTo } from './http/describe-answers.ts';
import { fieldsOf } from './http/tidy-components.ts';

/** Writes into the OpenAPI document what only this installation knows: its countries and actions, and a campaign that it would accept. */
export function describeInstallation(document: unknown, config: Catalogue): void {
  const definition = fieldsIn(document, 'components', 'schemas', 'CampaignDefinitionInput');
  const { countries, chain } = fieldsOf(definition['properties']);
  fieldsOf(countries)['items'] = { type: 'string', ...(config.countries && { enum: config.countries }) };
  const action = fieldsIn(chain, 'items', 'properties', 'action');
  action['enum'] = Object.keys(config.actionTypes);
  definition['examples'] = [exampleCampaign(config)];
  for (const path of ['/v1/campaigns/{id}', '/v1/runs/{id}']) {
    const shown = fieldsIn(document, 'paths', path, 'get', 'responses', '200');
    shown['headers'] = { ...fieldsOf(shown['headers']), ...referredTo(['ETag']) };
  }
}

function fieldsIn(value: unknown, ...path: readonly string[]): Record<string, unknown> {
  return path.reduce((inner, name) => fieldsOf(inner[name]), fieldsOf(value));
}

/** Parameters that the sandbox's endpoints understand; of others nobody here knows what they take. */
const exampleParams: Record<string, CampaignDefinition['chain'][number]['params']> = {
  'award-reward': { rewardId: 'ride-5', units: 2 },
  'award-points': { points: 100 },
  'send-message': { template: 'congratulations' },
};

const exampleSteps = 2;
const exampleCountries = 3;

/** The campaign of the demo, as far as this installation can carry it out. */
export function exampleCampaign({ countries = ['SG'], actionTypes }: Catalogue) {
  return {
    name: 'Lapsed riders, December',
    countries: countries.slice(0, exampleCountries),
    audience: { include: [{ segment: 'lapsed-riders' }] },
    chain: Object.keys(actionTypes)
      .slice(0, exampleSteps)
      .map((action) => ({ action, params: exampleParams[action] ?? {} })),
    schedule: { type: 'now' },
  };
}
