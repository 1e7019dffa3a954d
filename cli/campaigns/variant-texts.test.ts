import { describe, expect, test } from 'vitest';
import { campaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { UsageError } from '../frame/usage-error.ts';
import { changesOf, definitionOf, optionLabel } from './definition.ts';
import { variantLines } from './variant-texts.ts';

const flags = {
  name: 'Lapsed riders',
  segment: ['lapsed-riders'],
  countries: 'SG',
  action: ['send-message={"language":"en"}', 'award-reward'],
};

describe('variants from options', () => {
  test('have shares in percent and parameters of their own, by default in the first step', () => {
    const definition = definitionOf({
      ...flags,
      variant: ['short one@33.33={"template":"hi=you"}', 'B@66.67%', '2:B={"units":2}', '2:short one'],
      splitSeed: 'spring',
    });
    expect(definition).toMatchObject({
      splitSeed: 'spring',
      chain: [
        {
          action: 'send-message',
          params: { language: 'en' },
          variants: [
            { name: 'short one', weight: 3333, params: { template: 'hi=you' } },
            { name: 'B', weight: 6667 },
          ],
        },
        { action: 'award-reward', variants: [{ name: 'B', params: { units: 2 } }, { name: 'short one' }] },
      ],
    });
    expect(campaignDefinition.safeParse(definition).success).toBe(true);
  });

  test.each(['@50', '3:A@50', '0:A', '=1', 'A@half'])('are refused if they cannot be read: %s', (variant) => {
    expect(() => definitionOf({ ...flags, variant: [variant] })).toThrow(UsageError);
  });

  test('are refused if their parameters are no JSON', () => {
    expect(() => definitionOf({ ...flags, variant: ['A@50={'] })).toThrow(/--variant A is no JSON/);
  });

  test('go with the actions of the chain', () => {
    expect(() => changesOf({ variant: ['A@50'] })).toThrow('--variant goes with --action');
  });

  test('are named by their option in problems', () => {
    const pointers = ['/chain/0/variants', '/chain/1/variants/0/weight', '/chain/0/variants/1/params/units'];
    expect([...pointers, '/splitSeed'].map(optionLabel)).toEqual([
      '--variant of step 1',
      '--variant 1 of step 2 /weight',
      '--variant 2 of step 1 /params/units',
      '--split-seed',
    ]);
  });
});

test('a campaign lists the variants of a step with their shares and parameters', () => {
  const variants = [
    { name: 'A', weight: 3333, params: { template: 'hi' } },
    { name: 'B', weight: 6667 },
  ];
  expect(variantLines(variants)).toEqual(['  A 33.33 % {"template":"hi"}', '  B 66.67 % {}']);
  expect(variantLines([{ name: 'A' }])).toEqual(['  A {}']);
  expect(variantLines()).toEqual([]);
});
