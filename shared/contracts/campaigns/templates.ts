import { z } from 'zod';
import { refusalsOfShape, refusalsWithin } from '../stated-rules.ts';
import { campaignDefinition, writtenCampaign } from './campaigns.ts';
import { json } from '../json.ts';
import { textShape } from '../stored-texts.ts';

/** HTTP shapes of templates (docs/decisions/0015-life-of-campaigns-and-runs.md). */
export const variableTypes = ['string', 'integer', 'number', 'boolean', 'date-time', 'segment'] as const;

const maxVariables = 50;
const bound = z.number();
const length = z.int().min(0).max(100_000);

export const templateVariable = z
  .strictObject({
    type: z.enum(variableTypes),
    description: textShape(500).optional(),
    default: json.optional().describe('Value if none is given; without a default, a value is required'),
    enum: z.array(json).min(1).max(100).optional().describe('Allowed values'),
    minimum: bound.optional(),
    maximum: bound.optional(),
    minLength: length.optional(),
    maxLength: length.optional(),
    pattern: z.string().max(1000).optional(),
  })
  .meta({ id: 'TemplateVariable' });

export type TemplateVariable = z.infer<typeof templateVariable>;

export const templateRefusals = {
  ...refusalsWithin(writtenCampaign),
  ...refusalsOfShape('the campaign with values for its variables does not match the schema of a campaign'),
  'unknown-variable': 'the campaign names a variable that is not declared, or a value is given for one',
  'unused-variable': 'a variable does not occur in the campaign',
  'unusable-schema': 'a variable is declared so that no value is valid',
};

const variableName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'has to be 1 to 64 letters, digits and "_", a letter first');

const exampleVariables = {
  reward: { type: 'string', description: 'Reward id of the rewards service', default: 'ride-5' },
};
const exampleCampaign = {
  countries: ['SG'],
  audience: { include: [{ segment: 'lapsed-riders' }] },
  chain: [{ action: 'award-reward', params: { rewardId: { $variable: 'reward' } } }],
};

const templateFields = {
  name: campaignDefinition.shape.name,
  variables: z
    .record(variableName, templateVariable)
    .refine((variables) => Object.keys(variables).length <= maxVariables, `has to be at most ${maxVariables} variables`)
    .default({})
    .meta({
      maxProperties: maxVariables,
      examples: [exampleVariables],
    }),
  campaign: z
    .record(z.string(), json)
    .refine((campaign) => !Object.hasOwn(campaign, 'name'), 'must not have a name: each campaign gets its own')
    .refine(
      (campaign) => !Object.hasOwn(campaign, 'savedAudience'),
      'must not have savedAudience: a template contains the sources only',
    )
    .meta({ propertyNames: { enum: Object.keys(campaignDefinition.shape).filter((name) => name !== 'name') } })
    .describe('Campaign definition without a name, with placeholders such as `{ "$variable": "reward" }` for values')
    .meta({
      examples: [exampleCampaign],
    }),
};

export const templateDefinition = z.strictObject(templateFields).meta({
  id: 'TemplateDefinition',
  examples: [{ name: 'Lapsed riders', variables: exampleVariables, campaign: exampleCampaign }],
});

export type TemplateDefinition = z.infer<typeof templateDefinition>;

/** Changes to a template. A given field replaces the whole field. */
export const templatePatch = z
  .strictObject({
    name: templateFields.name.optional(),
    variables: templateFields.variables.unwrap().optional(),
    campaign: templateFields.campaign.optional(),
  })
  .meta({ id: 'TemplatePatch', examples: [{ name: 'Riders who are back' }] });

const time = z.iso.datetime({ precision: 3 });

export const template = z
  .object({
    id: z.string(),
    revision: z.int().min(1),
    ...templateFields,
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string(), campaigns: z.string() }),
  })
  .meta({ id: 'Template' });

export type Template = z.infer<typeof template>;

export const campaignOfTemplate = z
  .strictObject({
    name: campaignDefinition.shape.name,
    variables: z.record(z.string(), json).default({}).describe('Values by variable name; others have their default'),
    revision: z.int().min(1).max(2_147_483_647).optional().describe('Revision of the template; absent: the newest'),
  })
  .meta({ id: 'CampaignOfTemplate', examples: [{ name: 'Lapsed riders, December', variables: { reward: 'ride-5' } }] });
