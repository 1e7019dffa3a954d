import { z } from 'zod';
import { fileReading } from './file-reading.ts';

const users = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

export const audienceStates = ['receiving', 'ready', 'failed'] as const;

export type AudienceState = (typeof audienceStates)[number];

export const uploadedAudience = z
  .object({
    kind: z.literal('list'),
    id: z.string().describe('aud_…'),
    name: z.string(),
    owner: z
      .string()
      .nullable()
      .describe(
        'Team or person responsible for the list. Default: the owner, or the name, of the key that uploaded it',
      ),
    state: z
      .enum(audienceStates)
      .describe(
        'receiving: rows are being received or sorted; ready: campaigns can use the list; failed: the list cannot be used',
      ),
    users: users.describe('Distinct users of all countries'),
    countries: z.array(z.object({ country: z.string(), users })),
    rows: users.describe('Rows read, without header and blank lines'),
    duplicates: users.describe('Rows that repeat a user in the same country'),
    rejected: users.describe(
      'Rows without a valid user, or with a user of another country. The first of them are listed as rejects',
    ),
    cause: z.string().nullable().describe('Why it failed'),
    usedBy: users.describe('Campaigns, including drafts, that include or exclude it. `/v1/campaigns?list=` lists them'),
    usedBySaved: users.describe('Saved audiences that include or exclude it. `/v1/audiences?list=` lists them'),
    kept: z.boolean().describe('true: it is not deleted by age, for lists that people use by hand, such as testers'),
    createdAt: time,
    readyAt: time.nullable(),
    expiresAt: time
      .nullable()
      .describe(
        'Time at which it will be deleted, even if drafts use it. null: a campaign that is scheduled or running, or a ' +
          'saved audience, uses it, it is `kept`, or all lists are kept (RETENTION_AUDIENCES_DAYS)',
      ),
    links: z.object({ self: z.string(), users: z.string(), rejects: z.string() }),
  })
  .meta({ id: 'UploadedAudience' });

export const receivedAudience = uploadedAudience
  .extend({ reading: fileReading.nullable().describe('Detected format of the file; null if the list existed before') })
  .meta({ id: 'ReceivedAudience' });

export type UploadedAudience = z.infer<typeof uploadedAudience>;

export const listedUser = z
  .object({ user: z.string(), country: z.string() })
  .meta({ id: 'ListedUser', description: 'A user of an uploaded list' });

export const rejectRules = [
  'empty',
  'too-long',
  'control-character',
  'lone-surrogate',
  'not-utf-8',
  'malformed-row',
  'too-many-columns',
  'missing-country',
  'unknown-country',
  'second-country',
  'repeated-header',
  'no-value',
] as const;

export type RejectRule = (typeof rejectRules)[number];

export const rejectedRow = z
  .object({
    line: z.int().min(1).describe('Line number in the file, including the header'),
    value: z.string().describe('Value in the file, escaped as in JSON, cut after 256 characters'),
    rule: z.enum(rejectRules).describe('second-country: an earlier row has the same user in another country'),
  })
  .meta({ id: 'RejectedRow' });

export type RejectedRow = z.infer<typeof rejectedRow>;
