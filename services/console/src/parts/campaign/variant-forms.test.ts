import { describe, expect, it } from 'vitest';
import { definitionOf, formOf, newForm, newStep, type DefinedCampaign } from './form-definition.ts';
import type { CampaignForm } from './form.ts';
import { addVariant, mergeStep, removeVariant, splitStep, sumOfShares } from './variant-forms.ts';

const types = [
  {
    name: 'send-message',
    paramsSchema: {
      type: 'object',
      properties: { template: { type: 'string' }, language: { type: 'string' } },
    },
  },
  { name: 'award-reward' },
];

const form: CampaignForm = {
  ...newForm('UTC'),
  steps: [
    { ...newStep('send-message', types, 'a'), texts: { '/template': 'hello', '/language': 'en' } },
    newStep('award-reward', types, 'b'),
  ],
};
const split: CampaignForm = { ...form, ...splitStep(form, 0) };
const chainOf = (typed: CampaignForm) => definitionOf(typed, types).definition.chain;
const weightsOf = (typed: Pick<CampaignForm, 'variants'>) => typed.variants.map(({ weight }) => weight);

const campaign: DefinedCampaign = {
  name: 'Riders',
  countries: ['SG'],
  audience: { include: [] },
  chain: [],
  schedule: { type: 'now' },
  deadlineSeconds: 60,
  priority: 'normal',
};

describe('a step that gets variants', () => {
  it('has two with equal shares and its own parameters', () => {
    expect(chainOf(split)[0]).toEqual({
      action: 'send-message',
      params: { template: 'hello', language: 'en' },
      variants: [
        { name: 'A', weight: 5000, params: {} },
        { name: 'B', weight: 5000, params: {} },
      ],
    });
  });

  it('keeps parameters that are equal in all variants as parameters of the step', () => {
    const [message, reward] = split.steps;
    if (!message?.ofVariants || !reward) return expect.fail();
    const ofVariants = {
      ...message.ofVariants,
      'variant-2': { asJson: false, texts: { '/template': 'welcome', '/language': 'en' } },
    };
    expect(chainOf({ ...split, steps: [{ ...message, ofVariants }, reward] })[0]).toEqual({
      action: 'send-message',
      params: { language: 'en' },
      variants: [
        { name: 'A', weight: 5000, params: { template: 'hello' } },
        { name: 'B', weight: 5000, params: { template: 'welcome' } },
      ],
    });
  });

  it('has no shares of its own behind a step with variants', () => {
    const both = { ...split, ...splitStep(split, 1) };
    expect(chainOf(both)[1]?.variants).toEqual([
      { name: 'A', params: {} },
      { name: 'B', params: {} },
    ]);
  });

  it('divides the users itself once no earlier step has variants', () => {
    const both = { ...split, ...splitStep(split, 1) };
    const merged = { ...both, ...mergeStep(both, 0) };
    expect(chainOf(merged)[0]).toEqual({ action: 'send-message', params: { template: 'hello', language: 'en' } });
    expect(chainOf(merged)[1]?.variants?.map(({ weight }) => weight)).toEqual([5000, 5000]);
  });
});

describe('the shares of variants', () => {
  it('stay equal while they are equal', () => {
    const three = addVariant(split);
    expect(weightsOf(three)).toEqual(['33.34', '33.33', '33.33']);
    expect(weightsOf(addVariant(three))).toEqual(['25', '25', '25', '25']);
    expect(weightsOf(removeVariant(three, 'variant-1'))).toEqual(['50', '50']);
  });

  it('stay as typed if they are not equal', () => {
    const [a, b] = split.variants;
    if (!a || !b) return expect.fail();
    const typed = {
      ...split,
      variants: [
        { ...a, weight: '90' },
        { ...b, weight: '10' },
      ],
    };
    expect(weightsOf(addVariant(typed))).toEqual(['90', '10', '']);
  });

  it('are summed without an error of rounding', () => {
    expect(sumOfShares([{ weight: '33.34' }, { weight: '33.33' }, { weight: '33.33' }])).toBe(100);
    expect(sumOfShares([{ weight: '50' }, { weight: 'half' }])).toBeNull();
  });

  it('have at most two decimals', () => {
    const [a, b] = split.variants;
    if (!a || !b) return expect.fail();
    const typed = {
      ...split,
      variants: [
        { ...a, weight: '33.333' },
        { ...b, weight: '66.67' },
      ],
    };
    const { definition, problems } = definitionOf(typed, types);
    expect(problems).toMatchObject([{ pointer: '/chain/0/variants/0/weight' }]);
    expect(definition.chain[0]?.variants).toMatchObject([{ name: 'A' }, { name: 'B', weight: 6667 }]);
  });
});

describe('a new variant', () => {
  it('has a free name and the parameters of the last variant in each step', () => {
    const both = { ...split, ...splitStep(split, 1) };
    const three = { ...both, ...addVariant(removeVariant(addVariant(both), 'variant-1')) };
    expect(three.variants.map(({ name }) => name)).toEqual(['B', 'C', 'A']);
    expect(chainOf(three).map(({ variants }) => variants?.length)).toEqual([3, 3]);
    expect(chainOf(three)[0]?.params).toEqual({ template: 'hello', language: 'en' });
  });
});

describe('a form filled from a campaign with variants', () => {
  const chain = [
    {
      action: 'send-message',
      params: { language: 'en' },
      variants: [
        { name: 'short', weight: 9000, params: { template: 'hi' } },
        { name: 'long', weight: 1000, params: { template: 'hello' } },
      ],
    },
    {
      action: 'award-reward',
      params: {},
      variants: [
        { name: 'short', params: { units: 1 } },
        { name: 'long', params: { units: 2 } },
      ],
    },
  ];

  it('returns the same definition', () => {
    const filled = formOf({ ...campaign, chain, splitSeed: 'spring' }, types, 'UTC');
    expect(definitionOf(filled, types).problems).toEqual([]);
    expect(definitionOf(filled, types).definition).toMatchObject({ chain, splitSeed: 'spring' });
  });

  it('matches the variants of a later step by name', () => {
    const [message, reward] = chain;
    if (!message || !reward) return expect.fail();
    const reversed = { ...reward, variants: reward.variants.toReversed() };
    const filled = formOf({ ...campaign, chain: [message, reversed] }, types, 'UTC');
    expect(definitionOf(filled, types).definition.chain).toEqual(chain);
  });

  it('has no seed once its steps have no variants', () => {
    const filled = formOf({ ...campaign, chain: chain.slice(0, 1), splitSeed: 'spring' }, types, 'UTC');
    const merged = { ...filled, ...mergeStep(filled, 0) };
    expect(definitionOf(merged, types).definition).not.toHaveProperty('splitSeed');
  });
});
