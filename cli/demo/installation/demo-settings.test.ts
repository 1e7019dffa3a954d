import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkAgainstConfig } from '../../../services/api/campaigns/check-campaign.ts';
import { readConfig } from '../../../services/sandbox/config.ts';
import { campaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { engineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import { demoCampaign, demoEngineConfig, sandboxSettings } from './demo-settings.ts';

describe('the settings of the demo', () => {
  test('are a valid configuration of the engine', () => {
    const config = demoEngineConfig('http://127.0.0.1:7070', 125_000);
    expect(engineConfig.parse(config)).toEqual(config);
  });

  test('contain a valid campaign with actions and countries of the configuration', () => {
    const definition = campaignDefinition.parse(demoCampaign);
    const { actionTypes, countries } = demoEngineConfig('http://127.0.0.1:7070', 1000);
    expect(definition.chain.filter(({ action }) => !(action in actionTypes))).toEqual([]);
    expect(definition.countries).toEqual(countries);
  });

  test('contain campaign parameters that match the schemas of the actions', () => {
    const { actionTypes } = demoEngineConfig('http://127.0.0.1:7070', 1000);
    const catalogue = { countries: demoCampaign.countries, actionTypes };
    expect(checkAgainstConfig(demoCampaign, catalogue)).toEqual([]);
    const chain = [{ action: 'award-points', params: { points: 'many' } }];
    expect(checkAgainstConfig({ ...demoCampaign, chain }, catalogue)).toHaveLength(1);
  });

  test('have the same titles, descriptions and parameter schemas as the example configuration', () => {
    const example = engineConfig.parse(JSON.parse(readFileSync('deploy/examples/engine.json', 'utf8')));
    const { actionTypes } = demoEngineConfig('http://127.0.0.1:7070', 1000);
    for (const [name, { title, description, paramsSchema }] of Object.entries(example.actionTypes)) {
      expect(actionTypes[name]).toMatchObject({ title, description, paramsSchema });
    }
  });

  test('configure the sandbox with a segment of the given size, 2 % reward and 1 % message failures', () => {
    const config = readConfig({ ...sandboxSettings(5000), DATABASE_URL: 'postgres://localhost/x' });
    expect(config.segments).toEqual([{ id: 'lapsed-riders', size: 5000, ids: 'plain' }]);
    expect(config.rewardsDatabase).toBeDefined();
    expect(config.services.rewards.failureShare).toBe(0.02);
    expect(config.services.messages.failureShare).toBe(0.01);
  });

  test.each([
    [100, 1],
    [125_000, 8],
    [1_000_000, 63],
    [10_000_000, 100],
  ])('set, for %i users, %i calls in flight per action and worker', (users, calls) => {
    const { actionTypes } = demoEngineConfig('http://127.0.0.1:7070', users);
    expect(Object.values(actionTypes).map(({ concurrency }) => concurrency)).toEqual([calls, calls, calls]);
  });
});
