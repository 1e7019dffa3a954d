import { z } from 'zod';
import { audienceStates } from './audiences.ts';

/** HTTP shapes of all audiences that a campaign can name (docs/decisions/0101-saved-audiences-counts-and-use.md). */
export const namedKinds = ['list', 'segment', 'saved'] as const;

export type NamedKind = (typeof namedKinds)[number];

const number = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

export const namedSize = z
  .object({
    atLeast: number,
    atMost: number.nullable().describe('Null where nobody knows'),
    exact: z.boolean().describe('true: counted; false: estimated, of what its sources said'),
    asOf: time.nullable().describe('When it was counted or estimated; null: as it was listed just now'),
    countId: z.string().nullable().describe('cnt_…: the exact count that says so; null: it is none'),
    countries: z.array(z.string()).nullable().describe('Where; null: in all that the segmentation service has'),
  })
  .meta({ id: 'NamedAudienceSize' });

export type NamedSize = z.infer<typeof namedSize>;

export const namedAudience = z
  .object({
    kind: z.enum(namedKinds).describe('list: uploaded; segment: of the segmentation service; saved: a combination'),
    id: z.string().describe('As campaigns name it: aud_…, sav_…, or the id of the segment'),
    name: z.string().describe('Of a segment its id, where nothing else is known'),
    description: z
      .string()
      .nullable()
      .describe('Of a segment as the segmentation service offers it, or of a saved audience'),
    owner: z.string().nullable().describe('Of a list or a saved audience'),
    countries: z.array(z.string()).nullable().describe('Null: it is not said'),
    sources: number.nullable().describe('That a saved audience is made of; null: it is none'),
    state: z.enum(audienceStates).nullable().describe('Of a list'),
    size: namedSize
      .nullable()
      .describe(
        'Of a list its users; else what was counted exactly in the last thirty days, or what was estimated; null: not known',
      ),
    rejected: number
      .nullable()
      .describe(
        'Rows of a list that are no user, or of the lists that a saved audience takes in; null: there is no list',
      ),
    usedBy: number.describe(
      'Campaigns, drafts too, that take it in or leave it out, or took their sources from it; those that are put away are not counted',
    ),
    leftOutBy: number.describe('Of these, those that leave it out'),
    usedBySaved: number.describe(
      'Saved audiences that take it in or leave it out: they count as its use too, and one of them keeps a list from being deleted',
    ),
    latestUse: z
      .object({ campaignId: z.string(), name: z.string() })
      .nullable()
      .describe('The newest campaign of these; null: there is none'),
    latestSaved: z
      .object({ savedAudienceId: z.string(), name: z.string() })
      .nullable()
      .describe('The newest saved audience of these; null: there is none'),
    createdAt: time.nullable().describe('Null: of a segment'),
    expiresAt: time
      .nullable()
      .describe('Of a list: it is deleted then, as things stand; null: it is not, or it is no list'),
    links: z.object({ self: z.string().nullable().describe('Null: of a segment'), campaigns: z.string() }),
  })
  .meta({ id: 'NamedAudience' });

export type NamedAudience = z.infer<typeof namedAudience>;

export const namedAudienceList = z
  .object({
    items: z.array(namedAudience),
    next: z.string().nullable(),
    unavailable: z
      .string()
      .nullable()
      .describe(
        'Why the segmentation service could not be asked: only segments that campaigns or saved audiences name are listed then; null: it could',
      ),
  })
  .meta({ id: 'NamedAudienceList' });

export type NamedAudienceList = z.infer<typeof namedAudienceList>;

export const namedAudienceCounts = z
  .object({
    all: number.nullable().describe('Null where the number of segments is not known'),
    lists: number,
    segments: number
      .nullable()
      .describe(
        'Offered, or named by a campaign or a saved audience; null: the segmentation service offers more than it lists at once',
      ),
    saved: number,
    withRejects: number.describe('Lists with rows that are no user'),
    notUsed: number.describe('Ready lists, and saved audiences, that no campaign and no saved audience uses'),
    failed: number.describe('Lists of which nothing can be used'),
  })
  .meta({ id: 'NamedAudienceCounts' });

export type NamedAudienceCounts = z.infer<typeof namedAudienceCounts>;
