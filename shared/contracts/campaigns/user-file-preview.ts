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
      'What `user` and `country` call it: its name; if the file has no header its number from 1, with `header=none`',
    ),
  use: z.enum(columnUses),
});

export const userFilePreview = z
  .object({
    format: z.enum(['plain', 'gzip']).describe('gzip: the file came packed'),
    reading: fileReading.nullable().describe('What the file was read as; null if its columns are not known'),
    columns: z.array(previewedColumn).describe('All columns, in their order'),
    rows: amount.describe('Rows that were read, without header and blank lines'),
    users: amount.describe('Rows that are a user; a user who is repeated counts each time'),
    firstUsers: z
      .array(
        z.object({
          line: z.int().min(1).describe('In the file, the header counted'),
          userId: z.string(),
          country: z.string().nullable().describe('null: users of this file have no countries'),
        }),
      )
      .describe('The first five'),
    countries: z
      .array(z.object({ country: z.string(), users: amount }))
      .describe('The 50 countries with the most users, the largest first'),
    usersElsewhere: amount.describe('Users of all countries that are not listed'),
    outcomes: z
      .array(z.object({ step: z.int().min(1), outcome: z.enum(['succeeded', 'failed']), users: amount }))
      .describe('Of a settlement file: how many rows settle a user as what; empty for other files'),
    rejected: amount.describe(
      'Rows that are no user. A preview does not compare rows: those that name a user again in another country are rejected by the upload',
    ),
    rejects: z
      .array(rejectedRow.extend({ rule: z.enum(previewedRules), detail: z.string().describe('The rule in words') }))
      .describe('The first ten of them'),
    refusal: z
      .object({ code: z.enum(previewedRefusals), detail: z.string() })
      .nullable()
      .describe(
        'Why an upload with the same parameters is refused; null: nothing in the file keeps it from being stored. If its columns are ' +
          'the reason, or `other-country`, no row is counted, except for `no-country-column`: users are shown without their countries',
      ),
  })
  .meta({ id: 'UserFilePreview' });

export type UserFilePreview = z.infer<typeof userFilePreview>;
