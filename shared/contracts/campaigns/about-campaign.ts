import { z } from 'zod';
import { nameShape, textShape } from '../stored-texts.ts';

/** Notes about a campaign. They do not affect its messages: they may change at any time, and change no run. */

const maxTags = 20;
const maxMetadata = 20;

export const tag = z.string().regex(/^[a-z0-9_:.-]{1,40}$/, 'has to be 1 to 40 of a-z, 0-9, "-", "_", ":" and "."');

/** Begins with a letter or a digit, which excludes `__proto__`. */
const metadataKey = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'has to be 1 to 64 letters, digits, "-", "_" and "."');

const metadataValue = textShape(200);

export const aboutFields = {
  description: textShape(2000).optional(),
  owner: nameShape(200).optional().describe('Team or person responsible for the campaign'),
  tags: z
    .array(tag)
    .max(maxTags)
    .superRefine(refuseRepeated)
    .optional()
    .meta({ uniqueItems: true, examples: [['payday', 'team:growth']] }),
  metadata: z
    .record(metadataKey, metadataValue)
    .refine((pairs) => Object.keys(pairs).length <= maxMetadata, `has to be at most ${maxMetadata} pairs`)
    .optional()
    .meta({ maxProperties: maxMetadata, examples: [{ ticket: 'MKT-1204' }] }),
};

/** Saved audience from which the sources of a campaign were copied; later changes to it do not affect the campaign. */
export const savedAudienceTaken = z
  .strictObject({
    id: z.string().min(1).max(64).describe('sav_…'),
    revision: z.int().min(1).max(2_147_483_647),
  })
  .describe(
    'Saved audience from which `include` and `exclude` were copied; they must equal those of this revision. ' +
      'The field is removed when they change. The saved audience may have been changed or deleted since',
  );

/** Notes as they are stored. `savedAudience` is not a note: it changes only together with the sources. */
export const campaignAbout = z.strictObject({ ...aboutFields, savedAudience: savedAudienceTaken.optional() });

export type CampaignAbout = z.infer<typeof campaignAbout>;

function refuseRepeated(tags: readonly string[], context: z.RefinementCtx): void {
  for (const [index, each] of tags.entries()) {
    if (tags.indexOf(each) === index) continue;
    context.addIssue({ code: 'custom', path: [index], message: `${JSON.stringify(each)} is in the list already` });
  }
}
