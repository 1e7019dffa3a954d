import type { Campaign } from '#client/types.gen.ts';
import type { Json } from '../forms/schema-fields.ts';
import type { LocalProblem } from '../forms/schema-values.ts';
import { typedNumber } from '../forms/typed-number.ts';
import type { CampaignForm, StepForm, VariantForm } from './form.ts';
import { paramsFormOf, typedParams, type ParamsForm, type Types } from './params-form.ts';

type SplitForm = Pick<CampaignForm, 'steps' | 'variants'>;
type Params = Record<string, Json>;

export const maxVariants = 4;

/** Returns the index of the step that divides the users: the first step with variants; −1 if there is none. */
export function splitIndexOf(steps: readonly Pick<StepForm, 'ofVariants'>[]): number {
  return steps.findIndex(({ ofVariants }) => ofVariants !== null);
}

/** Gives a step parameters for each variant, at first equal to its own. Creates two variants if there are none. */
export function splitStep(form: SplitForm, index: number): SplitForm {
  const variants = splitIndexOf(form.steps) < 0 ? evenVariants(['A', 'B']) : form.variants;
  const steps = form.steps.map((step, at) =>
    at === index ? { ...step, ofVariants: Object.fromEntries(variants.map(({ key }) => [key, paramsOf(step)])) } : step,
  );
  return { variants, steps };
}

/** Makes a step treat all users alike, by the parameters of the first variant. */
export function mergeStep({ steps, variants }: SplitForm, index: number): Pick<SplitForm, 'steps'> {
  const [first] = variants;
  return {
    steps: steps.map((step, at) => {
      const params = at === index && first ? step.ofVariants?.[first.key] : undefined;
      return params ? { ...step, ...params, ofVariants: null } : step;
    }),
  };
}

/** Adds a variant whose parameters are those of the last one. */
export function addVariant({ steps, variants }: SplitForm): SplitForm {
  const last = variants.at(-1)?.key ?? '';
  const key = `variant-${Math.max(0, ...variants.map((variant) => Number(variant.key.replace('variant-', '')))) + 1}`;
  const taken = new Set(variants.map(({ name }) => name));
  const name = ['A', 'B', 'C', 'D'].find((letter) => !taken.has(letter)) ?? '';
  return {
    variants: withEvenWeights(variants, [...variants, { key, name, weight: '' }]),
    steps: steps.map((step) => {
      const params = step.ofVariants?.[last];
      return params ? { ...step, ofVariants: { ...step.ofVariants, [key]: params } } : step;
    }),
  };
}

export function removeVariant({ steps, variants }: SplitForm, key: string): SplitForm {
  const left = variants.filter((variant) => variant.key !== key);
  const leftOnly = ({ ofVariants, ...step }: StepForm) => ({
    ...step,
    ofVariants: ofVariants && Object.fromEntries(Object.entries(ofVariants).filter(([of]) => of !== key)),
  });
  return { variants: withEvenWeights(variants, left), steps: steps.map(leftOnly) };
}

/** Returns the sum of the shares in percent; null if one of them is not a number. */
export function sumOfShares(variants: readonly Pick<VariantForm, 'weight'>[]): number | null {
  const shares = variants.map(({ weight }) => typedNumber(weight) ?? null);
  const sum = shares.reduce<number | null>((all, share) => (all === null || share === null ? null : all + share), 0);
  return sum === null ? null : Math.round(sum * 100) / 100;
}

/**
 * Returns the parameters and variants of a step. Parameters that are equal in all variants become parameters of the
 * step. Adds invalid texts to the problems.
 */
export function variantsOfStep(
  { action, ofVariants }: Pick<StepForm, 'action' | 'ofVariants'>,
  {
    variants,
    isSplit,
    pointer,
    types,
  }: { variants: CampaignForm['variants']; isSplit: boolean; pointer: string; types: Types },
  problems: LocalProblem[],
) {
  const typed = variants.map(({ key, name, weight }, index) => {
    const at = `${pointer}/variants/${index}`;
    const form = ofVariants?.[key] ?? { texts: {}, asJson: false };
    const { value, problems: wrong } = typedParams(form, action, types);
    problems.push(...wrong.map((each) => ({ ...each, pointer: `${at}/params${each.pointer}` })));
    return { name, params: value, ...(isSplit && weightOf(weight, `${at}/weight`, problems)) };
  });
  const params = commonParams(typed.map((variant) => variant.params));
  const own = (value: Params) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(params, name)));
  return { params, variants: typed.map((variant) => ({ ...variant, params: own(variant.params) })) };
}

/** Converts the variants of a chain into forms. */
export function variantFormsOf(chain: Campaign['chain'], types: Types) {
  const split = chain.find(({ variants }) => variants !== undefined)?.variants ?? [];
  const variants = split.map(({ name, weight }, index): VariantForm => ({
    key: `variant-${index + 1}`,
    name,
    weight: weight === undefined ? '' : String(weight / 100),
  }));
  const ofVariants = ({ action, params, variants: own }: Campaign['chain'][number]): StepForm['ofVariants'] => {
    if (own === undefined) return null;
    return Object.fromEntries(
      variants.map(({ key, name }) => {
        const changed = own.find((variant) => variant.name === name)?.params;
        return [key, paramsFormOf({ ...params, ...changed }, action, types)];
      }),
    );
  };
  return { variants, ofVariants };
}

function paramsOf({ texts, asJson }: StepForm): ParamsForm {
  return { texts, asJson };
}

function weightOf(text: string, pointer: string, problems: LocalProblem[]): { weight?: number } {
  const percent = typedNumber(text);
  if (percent === null) return {};
  const weight = percent === undefined ? NaN : Math.round(percent * 100);
  if (percent !== undefined && Math.abs(weight - percent * 100) < 1e-6) return { weight };
  problems.push({ pointer, detail: `has to be a percentage with at most two decimals, not “${text}”` });
  return {};
}

function commonParams([first = {}, ...others]: readonly Params[]): Params {
  const isCommon = ([name, value]: [string, Json]) =>
    others.every((other) => Object.hasOwn(other, name) && JSON.stringify(other[name]) === JSON.stringify(value));
  return Object.fromEntries(Object.entries(first).filter(isCommon));
}

function evenVariants(names: readonly string[]): VariantForm[] {
  return names.map((name, index) => ({
    key: `variant-${index + 1}`,
    name,
    weight: evenWeight(index, names.length),
  }));
}

/** Keeps equal shares equal after a variant was added or removed. Shares that a person has chosen stay as they are. */
function withEvenWeights(before: readonly VariantForm[], after: readonly VariantForm[]): VariantForm[] {
  const wasEven = before.every(({ weight }, index) => weight === evenWeight(index, before.length));
  return after.map((variant, index) => (wasEven ? { ...variant, weight: evenWeight(index, after.length) } : variant));
}

/** Returns an equal share in percent. The first variant gets the rest of the division. */
function evenWeight(index: number, count: number): string {
  const each = Math.floor(10_000 / count);
  return String((index === 0 ? 10_000 - each * (count - 1) : each) / 100);
}
