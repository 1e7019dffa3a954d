import { z } from 'zod';

const texts = z.array(z.unknown()).catch([]);
const step = z.object({ action: z.string() });

/** Countries and actions that a template names itself: what is a variable is held to a scope when it has a value. */
export function literalReach({ countries, chain }: Record<string, unknown>) {
  return {
    countries: texts.parse(countries).filter((each) => typeof each === 'string'),
    chain: texts.parse(chain).flatMap((each) => step.safeParse(each).data ?? []),
  };
}
