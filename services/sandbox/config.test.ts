import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import { readConfig } from './config.ts';

describe('the configuration of the sandbox', () => {
  test('has defaults for an empty environment', () => {
    expect(readConfig({})).toMatchObject({
      port: 7070,
      host: '127.0.0.1',
      rewardsDatabase: undefined,
      ledgerPath: undefined,
      services: { rewards: { form: 'full', failureShare: 0 }, messages: { form: 'compact' } },
    });
  });

  test('contains segments, countries and the settings of each service', () => {
    const config = readConfig({
      SANDBOX_SEGMENTS: 'riders=1000, odd ones=20:odd',
      SANDBOX_COUNTRIES: 'SG=2,VN=1',
      SANDBOX_REWARDS_LATENCY_MS: '20-60',
      SANDBOX_MESSAGES_LATENCY_MS: '5',
      SANDBOX_MESSAGES_FAILURE_SHARE: '0.01',
    });
    expect(config.segments).toEqual([
      { id: 'riders', size: 1000, ids: 'plain' },
      { id: 'odd ones', size: 20, ids: 'odd' },
    ]);
    expect(config.countries).toEqual([
      { country: 'SG', weight: 2 },
      { country: 'VN', weight: 1 },
    ]);
    expect(config.services.rewards.latency).toEqual({ fromMs: 20, toMs: 60 });
    expect(config.services.messages).toMatchObject({ latency: { fromMs: 5, toMs: 5 }, failureShare: 0.01 });
  });

  test.each([
    ['SANDBOX_SEGMENTS', 'riders'],
    ['SANDBOX_COUNTRIES', 'Singapore=1'],
    ['SANDBOX_REWARDS_FAILURE_SHARE', '2'],
    ['SANDBOX_POINTS_LATENCY_MS', 'slow'],
    ['SANDBOX_REWARDS_STORE', 'postgres'],
    ['SANDBOX_REWARDS_QUERIES', 'per-user'],
    ['SANDBOX_POINTS_MEMORY', 'a little'],
    ['SANDBOX_FAULTS', '{"calls":[{"nam":"x"}]}'],
  ])('rejects %s=%s and names the variable', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(name);
  });
});
