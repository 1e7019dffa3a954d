import { expect, it } from 'vitest';
import { z } from 'zod';
import { apiOnPostgres } from '../../test/support/api-on-postgres.ts';
import { apiDocument } from './api-document.ts';

const on = apiOnPostgres({ begun: 'once' });

const fields = z.record(z.string(), z.unknown());
const openApi = z.object({ paths: z.record(z.string(), fields), components: z.object({ schemas: fields }) });

it('the OpenAPI document for all installations has the operations and schemas of a running API, and no action type', async () => {
  const running = openApi.parse((await on.api.server.inject('/openapi.json')).json());
  const written = openApi.parse(await apiDocument());

  const operationsOf = ({ paths }: typeof running) =>
    Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  expect(operationsOf(running).length).toBeGreaterThan(100);
  expect(operationsOf(written)).toEqual(operationsOf(running));
  const { CampaignDefinitionInput: definition, ...shapes } = running.components.schemas;
  expect(JSON.stringify(definition)).toContain('"enum":["award-reward","send-message"]');
  expect(written.components.schemas).toMatchObject(shapes);
  expect(JSON.stringify(written)).not.toContain('"award-reward","send-message"');
});
