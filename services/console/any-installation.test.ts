import { expect, it } from 'vitest';
import { ofAnyInstallation } from './any-installation.ts';

const text = { type: 'string' };

it('leaves out the countries, actions and parameters of one installation, and nothing else', () => {
  const step = { type: 'object', properties: { action: { ...text, enum: ['award'] }, note: { enum: ['a'] } } };
  const definition = (items: object) => ({ properties: { countries: { items }, chain: { items: step } } });
  const document = {
    components: {
      schemas: {
        CampaignDefinitionInput: {
          properties: {
            countries: { items: { ...text, enum: ['SG'] } },
            chain: { items: { ...step, allOf: [{ if: {} }] } },
          },
        },
        'Params.award': {},
        Other: definition({ ...text, enum: ['SG'] }),
      },
    },
  };
  const anywhere = { ...step, properties: { ...step.properties, action: text } };
  expect(ofAnyInstallation(document)).toEqual({
    components: {
      schemas: {
        CampaignDefinitionInput: { properties: { countries: { items: text }, chain: { items: anywhere } } },
        Other: definition({ ...text, enum: ['SG'] }),
      },
    },
  });
});
