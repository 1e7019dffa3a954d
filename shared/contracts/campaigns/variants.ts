import { z } from 'zod';
import { nameShape, textShape } from '../stored-texts.ts';
import { stepParams, type StepParams } from './step-params.ts';

/** Sum of the weights of all variants: hundredths of a percent. */
export const wholeWeight = 10_000;

const stepVariant = z.strictObject({
  name: nameShape(40),
  weight: z
    .int()
    .min(1)
    .max(wholeWeight - 1)
    .optional()
    .describe(
      'Share of the users in hundredths of a percent. Required in the first step with variants; later steps have none',
    ),
  params: stepParams
    .default({})
    .describe('Parameters of this variant. A field replaces the field of the same name in the params of the step'),
});

/** Variants of a step (docs/decisions/0168-variants.md). Rules across several steps are checked by the API. */
export const stepVariants = z.array(stepVariant).min(2).max(4);

export const splitSeed = textShape(200, 1).describe(
  'The same seed puts the same users into the same variants in every run and campaign. Default: the run’s id',
);

export type StepVariant = z.infer<typeof stepVariant>;

export const choiceRefusals = {
  'no-variants': 'there is a seed for the split, or a choice after the canary, and no step has variants',
  'no-percent': 'the choice of a variant needs a canary in percent, and its size is a number of users',
  'always-pauses': 'before the choice of a variant the run always pauses, and the canary has a limit of failed users',
  'too-few': 'a variant would get less than a hundredth of a percent of the users',
};

export const variantRefusals = {
  ...choiceRefusals,
  'wrong-sum': 'the weights of the variants of a step do not add up to 10000',
  'repeated-variant': 'a step has two variants of the same name',
  'weight-of-later-step': 'a step after the first one with variants has weights',
  'other-variants': 'a step after the first one with variants has variants of other names',
};

interface StepWithVariants {
  params: StepParams;
  variants?: readonly StepVariant[] | undefined;
}

/** Returns the variants of the first step that has variants, which splits the users; empty if there is none. */
export function splitOf<Variant>(chain: readonly { variants?: readonly Variant[] | undefined }[]): readonly Variant[] {
  return chain.find(({ variants }) => variants !== undefined)?.variants ?? [];
}

/** Returns the parameters that the endpoint receives for users of a variant. @param name null: no variant */
export function paramsOfVariant({ params, variants = [] }: StepWithVariants, name: string | null): StepParams {
  return { ...params, ...variants.find((variant) => variant.name === name)?.params };
}

/**
 * Returns the chain as the users of a feed get it: each step with the parameters of their variant.
 * @param place of the variant in the split, from 1; null without variants
 */
export function chainOfVariant<Step extends StepWithVariants>(
  chain: readonly Step[],
  place: number | null,
): Omit<Step, 'variants'>[] {
  const name = place === null ? null : (splitOf(chain)[place - 1]?.name ?? null);
  return chain.map(({ variants, ...step }) => ({ ...step, params: paramsOfVariant({ ...step, variants }, name) }));
}
