import { expect, it } from 'vitest';
import { apiVariables } from '../../frame/config.ts';
import { readConfiguration } from './read-configuration.ts';

const environment = {
  API_PORT: '8081',
  DATABASE_URL: 'postgres://muster:hunter2@db.internal:5432/muster',
  KAFKA_SASL_PASSWORD: 'correct horse',
  MUSTER_SECRETS_KEY_FILE: '/run/secrets/key',
  ANOTHER_PASSWORD: 'of somebody else',
};

it('the configuration shows the source of each value, and only the length of each secret', () => {
  const configuration = new Map(readConfiguration(apiVariables, environment).map((each) => [each.name, each]));
  expect(configuration.get('API_PORT')).toMatchObject({ value: '8081', from: 'environment', secretLength: null });
  expect(configuration.get('KAFKA_SASL_PASSWORD')).toMatchObject({
    value: null,
    from: 'environment',
    secretLength: 13,
  });
  expect(configuration.get('DATABASE_URL')?.value).toBe('postgres://muster:***@db.internal:5432/muster');
  expect(configuration.get('MUSTER_SECRETS_KEY')).toMatchObject({ value: null, from: 'file' });
  expect(configuration.get('MUSTER_ZONE')).toMatchObject({ value: null, from: 'usual' });
});

it('the configuration contains no other variables, and no value contains a secret', () => {
  const written = JSON.stringify(readConfiguration(apiVariables, environment));
  for (const secret of ['hunter2', 'correct horse', 'somebody else']) expect(written).not.toContain(secret);
});
