import { z } from 'zod';

const texts = z.array(z.unknown()).catch([]);
const step = z.object({ action: z.string() });

/**
 * Returns the countries and actions that a template contains as fixed values. Values of variables are checked when a
 * campaign is created.
 */
export function literalReach({ countries, chain }: Record<string, unknown>) {
  return {
    countries: texts.parse(countries).filter((each) => typeof each === 'string'),
    chain: texts.parse(chain).flatMap((each) => step.safeParse(each).data ?? []),
  };
}
