import { describe, expect, it } from 'vitest';
import { engineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import { checkCampaign } from './check-campaign.ts';

const paramsSchema = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string' }, size: { type: 'integer' } },
  additionalProperties: false,
};

const config = engineConfig.parse({
  segmentation: { url: 'http://segments' },
  actionTypes: {
    'send-message': { url: 'http://messages', class: 'A', paramsSchema },
    'award-reward': { url: 'http://rewards', class: 'A' },
  },
});

function problemsOf(chain: readonly object[], fields: object = {}) {
  const body = { name: 'n', countries: ['SG'], audience: { include: [{ segment: 's' }] }, chain, ...fields };
  const checked = checkCampaign(body, config, new Date());
  return checked.ok ? [] : checked.problems.map(({ pointer, code }) => [pointer, code]);
}

const action = 'award-reward';
const two = [
  { name: 'A', weight: 5000 },
  { name: 'B', weight: 5000 },
];
const unweighted = two.map(({ name }) => ({ name }));

describe('a campaign with variants', () => {
  it('may have two to four variants, and later steps with the same names in any order', () => {
    expect(problemsOf([{ action, variants: two }])).toEqual([]);
    const steps = [{ action }, { action, variants: two }, { action }, { action, variants: unweighted.toReversed() }];
    expect(problemsOf(steps, { splitSeed: 'december' })).toEqual([]);
    expect(problemsOf([{ action, variants: two.slice(1) }])).toEqual([['/chain/0/variants', 'wrong-length']]);
    const five = ['A', 'B', 'C', 'D', 'E'].map((name) => ({ name, weight: 2000 }));
    expect(problemsOf([{ action, variants: five }])).toEqual([['/chain/0/variants', 'wrong-length']]);
    expect(problemsOf([{ action, variants: five.slice(1).map(({ name }) => ({ name, weight: 2500 })) }])).toEqual([]);
  });

  it('has weights that add up to 10000 in the first step with variants, and none in later steps', () => {
    const wrong = [two[0], { name: 'B', weight: 4999 }].flatMap((each) => each ?? []);
    expect(problemsOf([{ action, variants: wrong }])).toEqual([['/chain/0/variants', 'wrong-sum']]);
    expect(problemsOf([{ action, variants: unweighted }])).toEqual([
      ['/chain/0/variants/0/weight', 'missing'],
      ['/chain/0/variants/1/weight', 'missing'],
    ]);
    expect(
      problemsOf([
        { action, variants: two },
        { action, variants: [{ name: 'A' }, two[1] ?? {}] },
      ]),
    ).toEqual([['/chain/1/variants/1/weight', 'weight-of-later-step']]);
  });

  it('has a percentage and no limit of failures if a person chooses a variant after the canary', () => {
    const problems = (canary: object, chain: readonly object[] = [{ action, variants: two }]) =>
      problemsOf(chain, { canary: { then: 'choose-variant', ...canary } });
    expect(problems({ percent: 20 })).toEqual([]);
    expect(problems({ percent: 0.02 })).toEqual([]);
    expect(problems({ percent: 0.01 })).toEqual([['/canary/percent', 'too-few']]);
    expect(problems({ percent: 20 }, [{ action }])).toEqual([['/canary/then', 'no-variants']]);
    expect(problems({ users: 1000 })).toEqual([['/canary/users', 'no-percent']]);
    expect(problems({ percent: 20, maxFailedPercent: 2 })).toEqual([['/canary/maxFailedPercent', 'always-pauses']]);
  });

  it('reports the sum of wrong weights', () => {
    const variants = [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 2 },
    ];
    const body = {
      name: 'n',
      countries: ['SG'],
      audience: { include: [{ segment: 's' }] },
      chain: [{ action, variants }],
    };
    const checked = checkCampaign(body, config, new Date());
    expect(checked.ok ? '' : checked.problems[0]?.detail).toBe('the weights have to add up to 10000 (100 %), not 3');
  });

  it('has unique names without invisible characters, which later steps repeat', () => {
    const same = two.map((variant) => ({ ...variant, name: 'A' }));
    expect(problemsOf([{ action, variants: same }])).toEqual([['/chain/0/variants/1/name', 'repeated-variant']]);
    const hidden = [{ name: '\u200b', weight: 5000 }, ...two.slice(1)];
    expect(problemsOf([{ action, variants: hidden }])).toEqual([['/chain/0/variants/0/name', 'invalid-value']]);
    const others = [
      { action, variants: two },
      { action, variants: [{ name: 'A' }, { name: 'C' }] },
    ];
    expect(problemsOf(others)).toEqual([['/chain/1/variants', 'other-variants']]);
  });

  it('may have a seed only with variants', () => {
    expect(problemsOf([{ action }], { splitSeed: 'december' })).toEqual([['/splitSeed', 'no-variants']]);
    expect(problemsOf([{ action, variants: 'A' }], { splitSeed: 'december' }).map(([, code]) => code)).not.toContain(
      'no-variants',
    );
  });
});

describe('the parameters of a variant', () => {
  const sent = (params: object, ofVariants: readonly object[]) =>
    problemsOf([
      {
        action: 'send-message',
        params,
        variants: two.map((variant, index) => ({ ...variant, params: ofVariants[index] })),
      },
    ]);

  it('are checked by the schema together with those of the step', () => {
    expect(sent({ size: 1 }, [{ text: 'a' }, { text: 'b' }])).toEqual([]);
    expect(sent({ text: 'a', size: 'large' }, [{ size: 1 }, { size: 2 }])).toEqual([]);
    expect(sent({}, [{ text: 'a' }, {}])).toEqual([['/chain/0/variants/1/params/text', 'missing']]);
    expect(sent({}, [{ text: 'a' }, { text: 1 }])).toEqual([['/chain/0/variants/1/params/text', 'wrong-type']]);
  });

  it('are reported once, in the step, if the wrong field is shared', () => {
    expect(sent({ size: 'large' }, [{ text: 'a' }, { text: 'b' }])).toEqual([['/chain/0/params/size', 'wrong-type']]);
  });

  it('may not be larger than what is sent, together with those of the step', () => {
    const half = 'x'.repeat(40_000);
    const variants = [{ ...two[0], params: { b: half } }, { ...two[1] }];
    expect(problemsOf([{ action, params: { a: half }, variants }])).toEqual([
      ['/chain/0/variants/0/params', 'too-large'],
    ]);
  });
});
