import { z } from 'zod';
import { idPattern, publicId, uuidOf } from '../../domain/ids/ids.ts';
import { tag } from '../campaigns/about-campaign.ts';
import { egressRule } from '../jobs/clients.ts';
import { zone } from '../zones.ts';
import { noticeUrl } from './notice-urls.ts';
import { nameShape } from '../stored-texts.ts';

/** HTTP shapes of webhooks (docs/decisions/0088-notifications.md). */
export const noticeTypes = [
  'campaign.scheduled',
  'approval.waiting',
  'run.started',
  'run.paused',
  'run.stalled',
  'run.threshold',
  'budget.low',
  'run.completed',
  'run.cancelled',
  'run.expired',
  'run.failed',
  'key.ending',
] as const;

const endings: readonly string[] = ['run.completed', 'run.cancelled', 'run.expired', 'run.failed'];
export const askedEvents = [...noticeTypes, 'run.ended'] as const;

/** Returns true if a subscription to these events includes this type. */
export function isAskedFor(type: string, asked: readonly string[]): boolean {
  return asked.includes(type) || (endings.includes(type) && asked.includes('run.ended'));
}

/** Maximum number of webhooks in an installation: each is a client, which every process holds in memory. */
export const maxWebhooks = 200;

/** Returns true if a webhook with these events receives notices about campaigns or their runs. */
export function areAboutCampaigns(asked: readonly (typeof askedEvents)[number][]): boolean {
  return asked.some((type) => type !== 'key.ending');
}

const maxOf = 100;
const name = nameShape(200);
const exampleCampaign = publicId('campaign', '01890a5d-ac96-774b-bcce-b302099a8057');

const campaignId = z
  .string()
  .refine((id) => uuidOf('campaign', id) !== undefined, `has to be a campaign's id, such as ${exampleCampaign}`)
  .meta({ pattern: idPattern('campaign'), examples: [exampleCampaign] });

function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).min(1).max(maxOf).nullable().default(null);
}

export const digestSpans = ['day', 'week'] as const;

const digest = z
  .strictObject({
    every: z.enum(digestSpans).describe('week: on Mondays'),
    at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'has to be a time of day such as 09:00'),
    zone,
  })
  .meta({ examples: [{ every: 'day', at: '09:00', zone: 'Asia/Singapore' }] });

export type Digest = z.output<typeof digest>;

export const noticeFormats = ['standard', 'slack', 'teams'] as const;

export type NoticeFormat = (typeof noticeFormats)[number];

/** Events and filters of a webhook; a notice must match every given filter. */
export const webhookFields = {
  name: name.nullable().default(null),
  format: z
    .enum(noticeFormats)
    .default('standard')
    .describe(
      '`standard`: the notice of this document, signed. `slack`, `teams`: a message for a channel, not signed; ' +
        'the URL is that of an incoming webhook there. It stays as the webhook was made',
    ),
  events: z
    .array(z.enum(askedEvents))
    .min(1)
    .max(askedEvents.length)
    .describe('`run.ended` stands for completed, cancelled, expired and failed'),
  campaigns: listOf(campaignId).describe('Of these alone; null: of all'),
  tags: listOf(tag).describe('Of campaigns with one of these tags'),
  owners: listOf(name).describe('Of campaigns, and keys, with one of these owners'),
  digest: digest
    .nullable()
    .default(null)
    .describe('Runs of recurring campaigns that completed are told together, and their starts not at all'),
  enabled: z.boolean().default(true).describe('false: what happens meanwhile is never told'),
};

export const webhookDefinition = z.object(webhookFields);

export type WebhookDefinition = z.output<typeof webhookDefinition>;

const egress = z
  .strictObject({ allow: z.array(egressRule).max(maxOf).default([]) })
  .describe('Where its calls may go, set by operators; without rules: to any public address');

const exampleUrl = 'https://hooks.example.com/muster';

export const newWebhook = z
  .strictObject({
    url: noticeUrl.describe('Called; or `mailto:` and an address, written to where e-mail is set up'),
    ...webhookFields,
    egress: egress.optional(),
  })
  .meta({ id: 'NewWebhook', examples: [{ url: exampleUrl, events: ['run.ended', 'run.paused', 'run.stalled'] }] });

export const webhookPatch = z
  .strictObject({
    url: noticeUrl.optional(),
    name: name.nullable().optional(),
    events: webhookFields.events.optional(),
    campaigns: z.array(campaignId).min(1).max(maxOf).nullable().optional(),
    tags: z.array(tag).min(1).max(maxOf).nullable().optional(),
    owners: z.array(name).min(1).max(maxOf).nullable().optional(),
    digest: digest.nullable().optional(),
    enabled: z.boolean().optional(),
    egress: egress.optional(),
  })
  .meta({ id: 'WebhookPatch', examples: [{ tags: ['payday'] }] });

const time = z.iso.datetime({ precision: 3 });

export const webhookShape = z
  .object({
    id: z.string(),
    revision: z.int().min(1).describe('Moves with every change; the ETag'),
    url: z.string().describe('Without what is behind the host, which may be a secret; an address as it is'),
    ...webhookFields,
    egress,
    client: z.string().describe('cli_…, under which jobs, quarantined jobs and figures have its notices'),
    waiting: z.int().describe('Notices that are on their way'),
    dead: z.int().describe('Notices that were given up, and can be sent again'),
    lastSent: z.object({ at: time, event: z.string().nullable(), status: z.int().nullable() }).nullable(),
    createdAt: time,
    links: z.object({ self: z.string(), deliveries: z.string() }),
  })
  .meta({ id: 'Webhook' });

export type WebhookShape = z.output<typeof webhookShape>;

const secret = z
  .string()
  .nullable()
  .describe('whsec_…, shown this once: its notices are signed with it (Standard Webhooks); null: nothing is signed');

export const createdWebhook = z.object({ webhook: webhookShape, secret }).meta({ id: 'CreatedWebhook' });

export const rotation = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(90 * 86_400)
      .default(86_400)
      .describe('How long notices are signed with the secret before too'),
  })
  .default({ overlapSeconds: 86_400 })
  .meta({ id: 'WebhookRotation', examples: [{ overlapSeconds: 3600 }] });

export const deliveryStates = ['sent', 'dead', 'expired', 'cancelled'] as const;

export const delivery = z
  .object({
    id: z.string().describe('job_…, which is its webhook-id over all tries'),
    event: z.string().nullable(),
    state: z.enum(deliveryStates),
    at: time.describe('When it was taken, or given up'),
    attempts: z.int(),
    status: z.int().nullable().describe('Of the last answer'),
    cause: z.string().nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

export type WebhookDelivery = z.output<typeof delivery>;

export const sentAgain = z.object({ notices: z.int(), expired: z.int() }).meta({ id: 'NoticesSentAgain' });

/** Numbers of users of a run that has ended. */
const figures = z.object({ audience: z.int(), throughTheChain: z.int(), failed: z.int() });

export const digestLine = z.object({
  campaign: z.object({ id: z.string(), name: z.string() }),
  run: z.object({ id: z.string(), scheduledFor: time }),
  figures,
});

export type DigestLine = z.output<typeof digestLine>;

export const notice = z
  .object({
    type: z.enum([...noticeTypes, 'campaign.digest', 'webhook.test']),
    timestamp: time.describe('When it happened'),
    data: z.object({
      text: z.string().describe('The same in a sentence, for people'),
      link: z.string().describe('The page of the console; without its host where API_PUBLIC_URL is not set'),
      cause: z.string().nullable(),
      campaign: z
        .object({
          id: z.string(),
          name: z.string(),
          owner: z.string().nullable(),
          tags: z.array(z.string()),
          countries: z.array(z.string()),
        })
        .nullable(),
      run: z.object({ id: z.string(), state: z.string(), scheduledFor: time, startedAt: time.nullable() }).nullable(),
      figures: figures.nullable().describe('Of a run that has ended; of a digest: over all of its runs'),
      approval: z
        .object({ id: z.string(), needed: z.int(), why: z.array(z.string()) })
        .nullable()
        .describe('Of approval.waiting'),
      digest: z
        .object({ runs: z.int().describe('All of them'), first: z.array(digestLine) })
        .nullable()
        .describe('Of campaign.digest: what completed since the last one'),
      budget: z
        .object({
          country: z.string(),
          units: z.int().nullable().describe('Null: it is in money'),
          left: z.int().nullable(),
          money: z.object({ currency: z.string(), amount: z.string(), left: z.string() }).nullable(),
        })
        .nullable()
        .describe('Of budget.low'),
      key: z
        .object({ id: z.string(), name: z.string(), owner: z.string().nullable(), expiresAt: time })
        .nullable()
        // Notices that the previous version queued lack this field.
        .default(null)
        .describe('Of key.ending'),
    }),
  })
  .meta({ id: 'Notice' });

export type Notice = z.output<typeof notice>;
