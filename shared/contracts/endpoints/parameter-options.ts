import { z } from 'zod';

/** A value that a parameter may have, in the list that a team may offer (docs/optional-contracts.md). */
export const offeredOption = z.object({
  /** As campaigns say it. */
  value: z.union([z.string().min(1).max(500), z.number()]),
  /** What people call it; the value where there is none. */
  label: z.string().min(1).max(200).nullish(),
  description: z.string().max(2000).nullish(),
  /** Where it may be used; anywhere where it does not say. */
  countries: z.array(z.string()).max(250).nullish(),
});

export type OfferedOption = z.infer<typeof offeredOption>;

export const optionPage = z.object({
  options: z.array(offeredOption),
  /** There are others, which a search finds. */
  more: z.boolean().default(false),
});

export type OptionPage = z.infer<typeof optionPage>;
