import { z } from 'zod';
import { json } from '../json.ts';
import { campaignDefinition } from './campaigns.ts';
import { savedAudienceDefinition } from './saved-audiences.ts';
import { templateDefinition } from './templates.ts';

/** HTTP shapes of the revisions of campaigns, templates and saved audiences. */

const revision = z.int().min(1);
const createdAt = z.iso.datetime({ precision: 3 });

export const listedRevision = z
  .object({ revision, name: campaignDefinition.shape.name, createdAt })
  .meta({ id: 'ListedRevision' });

export const campaignRevision = z
  .object({ revision, createdAt, definition: campaignDefinition })
  .meta({ id: 'CampaignRevision' });

export const templateRevision = z
  .object({ revision, createdAt, definition: templateDefinition })
  .meta({ id: 'TemplateRevision' });

export const savedAudienceRevision = z
  .object({ revision, createdAt, definition: savedAudienceDefinition })
  .meta({ id: 'SavedAudienceRevision' });

export const revisionDiff = z
  .object({
    from: revision,
    to: revision,
    differences: z
      .array(
        z.object({
          pointer: z.string().describe('JSON pointer, into the definition of `to` if the field exists there'),
          before: json.optional().describe('Value in `from`; absent: the field did not exist'),
          after: json.optional().describe('Value in `to`; absent: the field was removed'),
        }),
      )
      .describe('In the order of the definition’s fields; empty: both are equal'),
  })
  .meta({ id: 'RevisionDiff' });

export type RevisionDiff = z.infer<typeof revisionDiff>;
