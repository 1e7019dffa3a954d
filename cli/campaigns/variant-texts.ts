import type { CampaignDefinitionInput } from '../../sdk/generated/types.gen.ts';
import { UsageError } from '../frame/usage-error.ts';
import { parseJson } from '../frame/given.ts';
import { nameWithShare } from '../show/render-estimate.ts';

type Variants = NonNullable<CampaignDefinitionInput['chain'][number]['variants']>;

interface GivenVariant {
  step: number;
  name: string;
  weight?: number;
  params?: unknown;
}

/**
 * Adds variants to the steps of a chain. A text is `<[step:]name[@percent][={…}]>`, by default for the first step:
 * `A@50={"template":"hello"}`, or `2:A={"units":1}` for step 2. The API validates the values.
 */
export function withVariants(steps: readonly object[], texts: readonly string[]): object[] {
  const given = Map.groupBy(
    texts.map((text) => variantOf(text, steps.length)),
    ({ step }) => step,
  );
  return steps.map((step, index) => {
    const variants = given.get(index + 1)?.map(({ step: _step, ...variant }) => variant);
    return variants === undefined ? step : { ...step, variants };
  });
}

function variantOf(text: string, steps: number): GivenVariant {
  const found = /^(?:(\d+):)?([^@=]+)(?:@([\d.]+) ?%?)?(?:=(.*))?$/s.exec(text);
  const [, step = '1', name, percent, params] = found ?? [];
  if (name === undefined || Number(step) < 1 || Number(step) > steps)
    throw new UsageError(
      `a variant is <[step:]name[@percent][={parameters}]> of one of the actions, such as A@50={"units":2}, not ${text}`,
    );
  return {
    step: Number(step),
    name,
    ...(percent !== undefined && { weight: weightOf(percent) }),
    ...(params !== undefined && { params: parseJson(params, `--variant ${name}`) }),
  };
}

/** Returns hundredths of a percent, without the error of binary fractions. */
function weightOf(percent: string): number {
  return Number((Number(percent) * 100).toFixed(6));
}

/** Returns the option of a field below the variants of a step: `--variant 2 of step 1 /weight`. */
export function variantLabel(step: number, [place, ...inside]: readonly string[]): string {
  const option = place === undefined ? `--variant of step ${step}` : `--variant ${Number(place) + 1} of step ${step}`;
  return inside.length === 0 ? option : `${option} /${inside.join('/')}`;
}

/** Renders a line for each variant of a step: `  A 50 % {"template":"hello"}`. */
export function variantLines(variants: Variants = []): string[] {
  return variants.map(
    ({ name, weight, params = {} }) => `  ${nameWithShare({ name, weight })} ${JSON.stringify(params)}`,
  );
}
