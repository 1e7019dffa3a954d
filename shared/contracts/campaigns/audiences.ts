import { z } from 'zod';
import { audience } from './campaigns.ts';
import { campaignEstimate } from './estimates.ts';
import { savedAudience, savedFields } from './saved-audiences.ts';
import { audienceStates, uploadedAudience } from './uploaded-audiences.ts';

/**
 * HTTP shapes of audiences, which campaigns name by their id (docs/decisions/0101-saved-audiences-counts-and-use.md).
 * - `list`: users that were uploaded.
 * - `segment`: users that the segmentation service selects. The service owns it.
 * - `saved`: sources under a name, which campaigns copy.
 */
export const audienceKinds = ['list', 'segment', 'saved'] as const;

export type AudienceKind = (typeof audienceKinds)[number];

const number = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

/** An audience with an id of its own. */
export const audienceDetail = z.discriminatedUnion('kind', [uploadedAudience, savedAudience]).meta({ id: 'Audience' });

const ofSaved = {
  description: savedFields.description.nullable(),
  countries: savedFields.countries.optional(),
  audience: savedFields.audience.optional(),
};

/** Fields of a change that only saved audiences have. */
export const fieldsOfSaved = ['description', 'countries', 'audience'] as const;

const ofList = {
  kept: z.boolean().optional().describe('true: the list is not deleted by age. Only for lists'),
};

/** Changes to an audience. A given field replaces the whole field; null removes an optional field. */
export const audiencePatch = z
  .strictObject({ name: savedFields.name.optional(), owner: savedFields.owner.nullable(), ...ofSaved, ...ofList })
  .refine((patch) => Object.keys(patch).length > 0, {
    error: 'has to name a field',
    // If all fields of a body are unknown, each of them has an issue already, so this check is skipped.
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'AudiencePatch', minProperties: 1, examples: [{ name: 'Riders who are away' }] });

export type AudiencePatch = z.infer<typeof audiencePatch>;

export const previewRequest = z
  .union([
    z.strictObject({ id: z.string().describe('sav_…: a saved audience') }),
    z.strictObject({ countries: savedFields.countries, audience }),
  ])
  .meta({
    id: 'AudiencePreviewRequest',
    examples: [{ countries: ['SG'], audience: { include: [{ segment: 'lapsed-riders' }] } }],
  });

export const audiencePreview = campaignEstimate
  .omit({ campaignId: true, variants: true, cost: true })
  .extend({ id: z.string().nullable().describe('sav_…; null for sources that the request names') })
  .meta({ id: 'AudiencePreview' });

export type AudiencePreview = z.infer<typeof audiencePreview>;

export const audienceSize = z
  .object({
    atLeast: number,
    atMost: number.nullable().describe('Null if unknown'),
    exact: z.boolean().describe('true: counted; false: estimated from the sizes of its sources'),
    asOf: time.nullable().describe('Time of the count or the estimate; null: as the segmentation service lists it now'),
    countId: z.string().nullable().describe('cnt_…: the exact count with this result; null if there is none'),
    countries: z.array(z.string()).nullable().describe('Null: all countries of the segmentation service'),
  })
  .meta({ id: 'AudienceSize' });

export type AudienceSize = z.infer<typeof audienceSize>;

export const listedAudience = z
  .object({
    kind: z.enum(audienceKinds).describe('list: uploaded; segment: of the segmentation service; saved: a combination'),
    id: z.string().describe('Name in campaigns: aud_…, sav_…, or the id of the segment'),
    name: z.string().describe('Id of a segment whose name is unknown'),
    description: z
      .string()
      .nullable()
      .describe('Of a segment as the segmentation service offers it, or of a saved audience'),
    owner: z.string().nullable().describe('Of a list or a saved audience'),
    countries: z.array(z.string()).nullable().describe('Null if unknown'),
    revision: z.int().min(1).nullable().describe('Of a saved audience'),
    audience: audience.nullable().describe('Sources of a saved audience'),
    state: z.enum(audienceStates).nullable().describe('Of a list'),
    size: audienceSize
      .nullable()
      .describe(
        'Users of a list; for others the newest exact count of the last thirty days, else the last estimate; null if unknown',
      ),
    rejected: number
      .nullable()
      .describe('Rejected rows of a list, or of the lists that a saved audience includes; null if there is no list'),
    usedBy: number.describe(
      'Campaigns, drafts too, that include or exclude it, or copied their sources from it; archived ones are not counted',
    ),
    excludedBy: number.describe('Of these, campaigns that exclude it'),
    usedBySaved: number.describe(
      'Saved audiences that include or exclude it. They count as uses, and each of them keeps a list from being deleted',
    ),
    latestUse: z
      .object({ campaignId: z.string(), name: z.string() })
      .nullable()
      .describe('Newest campaign that uses it; null if there is none'),
    latestSaved: z
      .object({ savedAudienceId: z.string(), name: z.string() })
      .nullable()
      .describe('Newest saved audience that uses it; null if there is none'),
    createdAt: time.nullable().describe('Null for a segment'),
    expiresAt: time.nullable().describe('Time at which a list is deleted, unless something uses it by then'),
    links: z.object({ self: z.string().nullable().describe('Null for a segment'), campaigns: z.string() }),
  })
  .meta({ id: 'ListedAudience' });

export type ListedAudience = z.infer<typeof listedAudience>;

export const audienceList = z
  .object({
    items: z.array(listedAudience),
    next: z.string().nullable(),
    segmentsFrom: z
      .enum(['segmentation', 'use'])
      .nullable()
      .describe(
        'segmentation: segments of the segmentation service, and those in use; use: only segments that a campaign or a saved audience uses, ' +
          'because the service offers no list or does not answer; null: the search has no segments',
      ),
    unavailable: z.string().nullable().describe('Why the segmentation service does not answer'),
  })
  .meta({ id: 'AudienceList' });

export type AudienceList = z.infer<typeof audienceList>;

export const audienceCounts = z
  .object({
    all: number.nullable().describe('Null if the number of segments is unknown'),
    lists: number,
    segments: number
      .nullable()
      .describe('Offered or used; null if the segmentation service offers more than it lists at once'),
    saved: number,
    withRejects: number.describe('Lists with rejected rows'),
    notUsed: number.describe('Ready lists and saved audiences that no campaign and no saved audience uses'),
    failed: number.describe('Lists whose upload failed'),
  })
  .meta({ id: 'AudienceCounts' });

export type AudienceCounts = z.infer<typeof audienceCounts>;
