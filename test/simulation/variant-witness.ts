import type { BatchCall } from '../../shared/contracts/endpoints/batch-actions.ts';
import type { StepVariant } from '../../shared/contracts/campaigns/variants.ts';
import { isInPart, partsOf } from '../../shared/domain/run/split.ts';

export const splitSeed = 'december';

/** Variants of each step of a simulated campaign, with their names as parameters. */
export const simulatedVariants = [
  { name: 'A', weight: 5000, params: { variant: 'A' } },
  { name: 'B', weight: 3000, params: { variant: 'B' } },
  { name: 'C', weight: 2000, params: { variant: 'C' } },
] satisfies readonly StepVariant[];

const parts = partsOf(
  simulatedVariants.map(({ weight }) => weight),
  splitSeed,
);

/** Witness of the parameters with which users were called, in any step and any run of the campaign. */
export function createVariantWitness() {
  const wrong = new Set<string>();
  return {
    onCall: ({ action, step, users }: BatchCall): void => {
      for (const user of users) {
        const expected = simulatedVariants[parts.findIndex((part) => isInPart(part, user))]?.name;
        const seen = action.params['variant'];
        if (seen !== expected)
          wrong.add(`${user} was called as ${JSON.stringify(seen)} in step ${step}, not ${JSON.stringify(expected)}`);
      }
    },
    findings: (): string[] => [...wrong].slice(0, 5),
  };
}
