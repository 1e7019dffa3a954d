import { comparedRates, type RateDifferenceShape } from '../../../shared/contracts/runs/rate-differences.ts';
import type { RunVariant, StepLineShape } from '../../../shared/contracts/runs/step-lines.ts';
import { compareRates, type GroupRate } from '../../../shared/domain/run/rate-differences.ts';

const rates: Record<RateDifferenceShape['rate'], (line: StepLineShape) => GroupRate | null> = {
  succeeded: ({ audience, heldOut, pending, succeeded }) => ({
    successes: succeeded,
    users: audience - heldOut - Math.max(0, pending),
  }),
  // Receipts may arrive before the acceptance of their users is recorded, so they may exceed the accepted users.
  delivered: ({ succeeded, receipts }) =>
    receipts ? { successes: receipts.delivered, users: Math.max(succeeded, receipts.delivered) } : null,
};

/**
 * Compares each rate of each variant with the first variant, in the steps that the variants may have changed. Held-out
 * users receive nothing and have no rate, so no variant is compared with them.
 * @param chain steps of the run; `hasVariants` is true for a step with variants
 */
export function differencesOf(
  [first, ...others]: readonly RunVariant[],
  chain: readonly { hasVariants?: boolean }[],
): RateDifferenceShape[] {
  if (!first) return [];
  const splitStep = chain.findIndex(({ hasVariants }) => hasVariants === true) + 1;
  return first.steps
    .filter(({ step }) => step >= splitStep)
    .flatMap((line) => others.flatMap((variant) => differencesInStep(line, first.name, variant)));
}

function differencesInStep(first: StepLineShape, against: string, { name, steps }: RunVariant): RateDifferenceShape[] {
  const { step, action } = first;
  const own = steps.find((line) => line.step === step);
  return comparedRates.flatMap((rate) => {
    const [a, b] = [own && rates[rate](own), rates[rate](first)];
    const compared = a && b ? compareRates(a, b) : null;
    if (!a || !b || !compared) return [];
    return [{ step, action, rate, of: name, against, users: Math.min(a.users, b.users), ...compared }];
  });
}
