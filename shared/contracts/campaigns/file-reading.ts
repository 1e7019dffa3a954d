import { z } from 'zod';

export const fileWarning = z
  .object({
    code: z
      .enum(['rounded-ids', 'padded-ids', 'nearly-equal-ids', 'separator-in-ids'])
      .describe(
        'rounded-ids: Excel has rounded long numbers; padded-ids: ids of a file without a header begin or end with spaces; ' +
          'nearly-equal-ids: ids differ only by case or width; separator-in-ids: ids contain a semicolon (both judged by the first users)',
      ),
    detail: z.string(),
  })
  .meta({ id: 'FileWarning' });

export type FileWarning = z.infer<typeof fileWarning>;

export const fileReading = z
  .object({
    encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be']),
    separator: z.enum([',', ';', '\t', '|']).nullable().describe('null: the file has one column'),
    columns: z.array(z.string()).describe('Names of all columns, in their order; empty: the file has no header'),
    userColumn: z.string().nullable().describe('Name of the column of user ids; null: the file has no header'),
    countryColumn: z
      .string()
      .nullable()
      .describe('Name of the column of countries; null: the file has no header, or no such column was read'),
    trimmed: z.int().min(0).describe('User ids from which leading and trailing spaces were removed'),
    warnings: z.array(fileWarning),
  })
  .meta({ id: 'FileReading' });

export type FileReading = z.infer<typeof fileReading>;
