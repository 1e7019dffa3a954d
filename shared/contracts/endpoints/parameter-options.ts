import { z } from 'zod';

/** A value of a parameter, in the list that a team may offer (docs/optional-contracts.md). */
export const offeredOption = z.object({
  value: z.union([z.string().min(1).max(500), z.number()]),
  /** Name for people; without a name, the value is shown. */
  label: z.string().min(1).max(200).nullish(),
  description: z.string().max(2000).nullish(),
  /** Countries in which the value may be used; any country if absent. */
  countries: z.array(z.string()).max(250).nullish(),
});

export type OfferedOption = z.infer<typeof offeredOption>;

export const optionPage = z.object({
  options: z.array(offeredOption),
  /** True if a search finds further options. */
  more: z.boolean().default(false),
});

export type OptionPage = z.infer<typeof optionPage>;
