import { z } from 'zod';
import { campaignDefinition } from './campaigns.ts';
import { json } from '../json.ts';

const revision = z.int().min(1);
const createdAt = z.iso.datetime({ precision: 3 });

export const listedRevision = z
  .object({ revision, name: campaignDefinition.shape.name, createdAt })
  .meta({ id: 'ListedRevision' });

export const campaignRevision = z
  .object({ revision, createdAt, definition: campaignDefinition })
  .meta({ id: 'CampaignRevision' });

export const revisionDiff = z
  .object({
    from: revision,
    to: revision,
    differences: z
      .array(
        z.object({
          pointer: z.string().describe('JSON pointer; into the definition of `to` where it is there'),
          before: json.optional().describe('In `from`; absent: it was not there'),
          after: json.optional().describe('In `to`; absent: it is not there any more'),
        }),
      )
      .describe('In the order in which a definition has its fields; none: the two are the same'),
  })
  .meta({ id: 'RevisionDiff' });

export type RevisionDiff = z.infer<typeof revisionDiff>;
