import { z } from 'zod';

const listedOption = z
  .object({
    value: z.union([z.string(), z.number()]).describe('The value in campaigns'),
    label: z.string().nullable().describe('Display name; null: none'),
    description: z.string().nullable(),
    countries: z
      .array(z.string())
      .nullable()
      .describe('Countries where it may be used, or where campaigns have used it; null: unknown'),
    usedBy: z
      .int()
      .min(0)
      .describe('Number of the 300 newest campaigns, drafts too, that have this value for the parameter'),
  })
  .meta({ id: 'ParameterOption' });

export type ListedOption = z.infer<typeof listedOption>;

export const optionList = z
  .object({
    items: z.array(listedOption),
    more: z.boolean().describe('true: there are more, which a search finds'),
    from: z
      .enum(['endpoint', 'earlier-campaigns'])
      .describe(
        'earlier-campaigns: values of the 300 newest campaigns, because the schema names no options for this parameter or they could not be loaded',
      ),
    unavailable: z
      .string()
      .nullable()
      .describe('Why the options could not be loaded; null: they could, or there are none'),
  })
  .meta({ id: 'ParameterOptionList' });

export type OptionListView = z.infer<typeof optionList>;
