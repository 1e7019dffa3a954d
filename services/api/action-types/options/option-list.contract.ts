import { z } from 'zod';

const listedOption = z
  .object({
    value: z.union([z.string(), z.number()]).describe('As campaigns say it'),
    label: z.string().nullable().describe('What people call it; null: it is not said'),
    description: z.string().nullable(),
    countries: z
      .array(z.string())
      .nullable()
      .describe('Where it may be used, or where campaigns have used it; null: it is not said'),
    usedBy: z.int().min(0).describe('Of the 300 newest campaigns, drafts too, those that say it for this parameter'),
  })
  .meta({ id: 'ParameterOption' });

export type ListedOption = z.infer<typeof listedOption>;

export const optionList = z
  .object({
    items: z.array(listedOption),
    more: z.boolean().describe('There are others: a search finds them'),
    from: z
      .enum(['endpoint', 'earlier-campaigns'])
      .describe(
        'earlier-campaigns: what the 300 newest campaigns say, as the schema names no options for this parameter or they cannot be had',
      ),
    unavailable: z
      .string()
      .nullable()
      .describe('Why the options could not be asked for; null: they could, or there are none'),
  })
  .meta({ id: 'ParameterOptionList' });

export type OptionListView = z.infer<typeof optionList>;
