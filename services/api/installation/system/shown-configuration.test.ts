import { expect, it } from 'vitest';
import { apiVariables } from '../../frame/config.ts';
import { shownConfiguration } from './shown-configuration.ts';

const environment = {
  API_PORT: '8081',
  DATABASE_URL: 'postgres://muster:hunter2@db.internal:5432/muster',
  KAFKA_SASL_PASSWORD: 'correct horse',
  MUSTER_SECRETS_KEY_FILE: '/run/secrets/key',
  ANOTHER_PASSWORD: 'of somebody else',
};

it('shows what is set, secrets by their length alone, and where each is from', () => {
  const shown = new Map(shownConfiguration(apiVariables, environment).map((each) => [each.name, each]));
  expect(shown.get('API_PORT')).toMatchObject({ value: '8081', from: 'environment', secretLength: null });
  expect(shown.get('KAFKA_SASL_PASSWORD')).toMatchObject({ value: null, from: 'environment', secretLength: 13 });
  expect(shown.get('DATABASE_URL')?.value).toBe('postgres://muster:***@db.internal:5432/muster');
  expect(shown.get('MUSTER_SECRETS_KEY')).toMatchObject({ value: null, from: 'file' });
  expect(shown.get('MUSTER_ZONE')).toMatchObject({ value: null, from: 'usual' });
});

it('shows nothing of what is no variable of the API, and no secret in any value', () => {
  const written = JSON.stringify(shownConfiguration(apiVariables, environment));
  for (const secret of ['hunter2', 'correct horse', 'somebody else']) expect(written).not.toContain(secret);
});
