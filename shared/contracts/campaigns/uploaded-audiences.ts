import { z } from 'zod';
import { fileReading } from './file-reading.ts';

const users = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

export const audienceStates = ['receiving', 'ready', 'failed'] as const;

export type AudienceState = (typeof audienceStates)[number];

/** An uploaded list of users. */
export const uploadedAudience = z
  .object({
    kind: z.literal('list'),
    id: z.string().describe('aud_…'),
    name: z.string(),
    owner: z
      .string()
      .nullable()
      .describe(
        'The team or the person to ask about it: as it was said, else the owner, or the name, of the key that uploaded it',
      ),
    state: z
      .enum(audienceStates)
      .describe(
        'receiving: rows come in, or are sorted; ready: campaigns can name it; failed: nothing of it can be used',
      ),
    users: users.describe('Different users, of all countries'),
    countries: z.array(z.object({ country: z.string(), users })),
    rows: users.describe('Rows that were read, without header and blank lines'),
    duplicates: users.describe('Rows that repeat a user of the same country: they count once'),
    rejected: users.describe(
      'Rows that are no user, or name one again in another country; the first of them are listed as rejects',
    ),
    cause: z.string().nullable().describe('Why it failed'),
    usedBy: users.describe('Campaigns, drafts too, that include or exclude it. `/v1/campaigns?list=` lists them'),
    usedBySaved: users.describe('Saved audiences that include or exclude it. `/v1/audiences?list=` lists them'),
    createdAt: time,
    readyAt: time.nullable(),
    expiresAt: time
      .nullable()
      .describe(
        'It is deleted then, as things stand, drafts that name it notwithstanding; null: a campaign that is scheduled or runs, or a ' +
          'saved audience, keeps it, or lists are kept for ever (RETENTION_AUDIENCES_DAYS)',
      ),
    links: z.object({ self: z.string(), rejects: z.string() }),
  })
  .meta({ id: 'UploadedAudience' });

export const receivedAudience = uploadedAudience
  .extend({ reading: fileReading.nullable().describe('What the file was read as; null if the list was there before') })
  .meta({ id: 'ReceivedAudience' });

export type UploadedAudience = z.infer<typeof uploadedAudience>;

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
    line: z.int().min(1).describe('In the file, the header counted'),
    value: z.string().describe('What stands there, escaped as in JSON, cut after 256 characters'),
    rule: z.enum(rejectRules).describe('second-country: a person has one country, that of the first row that names it'),
  })
  .meta({ id: 'RejectedRow' });

export type RejectedRow = z.infer<typeof rejectedRow>;
