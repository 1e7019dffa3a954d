import { z } from 'zod';

export const listedSegment = z
  .object({
    id: z.string().describe('As audiences name it'),
    name: z.string().describe('The id where the segmentation service says no other'),
    description: z.string().nullable(),
    countries: z
      .array(z.string())
      .nullable()
      .describe('Where it has users, or where campaigns have used it; null: it is not said'),
    estimate: z
      .int()
      .min(0)
      .nullable()
      .describe('Users in the country that was asked for, else in all; null: not known'),
    usedBy: z
      .int()
      .min(0)
      .describe('Campaigns, drafts too, that name it now; counted up to 100. `/v1/campaigns?segment=` has them'),
    usedBySaved: z
      .int()
      .min(0)
      .describe('Saved audiences that take it in or leave it out. `/v1/saved-audiences?segment=` has them'),
  })
  .meta({ id: 'Segment' });

export type ListedSegment = z.infer<typeof listedSegment>;

export const segmentList = z
  .object({
    items: z.array(listedSegment),
    next: z.string().nullable(),
    from: z
      .enum(['segmentation', 'earlier-campaigns'])
      .describe(
        'earlier-campaigns: those that the 300 newest campaigns name, as the segmentation service offers no list or does not answer',
      ),
    unavailable: z.string().nullable().describe('Why the segmentation service could not be asked; null: it could'),
  })
  .meta({ id: 'SegmentList' });

export type SegmentListView = z.infer<typeof segmentList>;
