import { z } from 'zod';
import { rejectedRow, rejectRules } from './uploaded-audiences.ts';
import { fileReading } from './file-reading.ts';

const amount = z.int().min(0);

export const columnUses = ['user', 'country', 'step', 'outcome', 'code', 'ignored'] as const;

export const previewedRules = [...rejectRules, 'invalid-step', 'invalid-outcome'] as const;

export const previewedRefusals = [
  'no-user-column',
  'no-country-column',
  'unknown-column',
  'repeated-column',
  'unclear-separator',
  'other-country',
  'no-users',
  'too-many-rejected',
] as const;

const previewedColumn = z.object({
  name: z
    .string()
    .describe(
      'Value to use in `user` and `country`: the name of the column, or its number from 1 (with `header=none`) if the file has no header',
    ),
  use: z.enum(columnUses),
});

export const userFilePreview = z
  .object({
    format: z.enum(['plain', 'gzip']).describe('gzip: the file is compressed'),
    reading: fileReading.nullable().describe('Detected format of the file; null if its columns are unknown'),
    columns: z.array(previewedColumn).describe('All columns, in their order'),
    rows: amount.describe('Rows read, without header and blank lines'),
    users: amount.describe('Rows with a user; repeated users count each time'),
    firstUsers: z
      .array(
        z.object({
          line: z.int().min(1).describe('Line number in the file, including the header'),
          userId: z.string(),
          country: z.string().nullable().describe('null: the file has no countries'),
        }),
      )
      .describe('The first five'),
    countries: z
      .array(z.object({ country: z.string(), users: amount }))
      .describe('The 50 countries with the most users, the largest first'),
    usersElsewhere: amount.describe('Users of all other countries'),
    outcomes: z
      .array(z.object({ step: z.int().min(1), outcome: z.enum(['succeeded', 'failed']), users: amount }))
      .describe('For a settlement file: number of rows by the settled outcome; empty for other files'),
    rejected: amount.describe(
      'Rows without a valid user. A preview does not compare rows: the upload also rejects rows with a user of another country',
    ),
    rejects: z
      .array(rejectedRow.extend({ rule: z.enum(previewedRules), detail: z.string().describe('The rule in words') }))
      .describe('The first ten of them'),
    refusal: z
      .object({ code: z.enum(previewedRefusals), detail: z.string() })
      .nullable()
      .describe(
        'Reason why an upload with the same parameters would be refused; null: the file can be stored. If its columns are ' +
          'the reason, or `other-country`, no row is counted, except for `no-country-column`: users are shown without their countries',
      ),
  })
  .meta({ id: 'UserFilePreview' });

export type UserFilePreview = z.infer<typeof userFilePreview>;
