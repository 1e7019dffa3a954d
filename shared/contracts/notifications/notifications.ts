import { z } from 'zod';
import { idPattern, publicId, uuidOf } from '../../domain/ids/ids.ts';
import { tag } from '../campaigns/about-campaign.ts';
import { egressRule } from '../jobs/endpoint-terms.ts';
import { zone } from '../zones.ts';
import { mailAddressOf, notificationUrl } from './notification-urls.ts';
import { nameShape } from '../stored-texts.ts';

/** HTTP shapes of notifications (docs/decisions/0088-notifications.md). */
export const eventTypes = [
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
export const subscribableEvents = [...eventTypes, 'run.ended'] as const;

/** Returns true if a subscription to these events includes this type. */
export function includesEvent(type: string, events: readonly string[]): boolean {
  return events.includes(type) || (endings.includes(type) && events.includes('run.ended'));
}

/** Maximum number of notifications in an installation: each is a client, which every process holds in memory. */
export const maxNotifications = 200;

/** Returns true if a notification of these events reports campaigns or their runs. */
export function concernCampaigns(events: readonly (typeof subscribableEvents)[number][]): boolean {
  return events.some((type) => type !== 'key.ending');
}

export const notificationKinds = ['webhook', 'slack', 'teams', 'email'] as const;

export type NotificationKind = (typeof notificationKinds)[number];

/** Returns the kind of a notification to this URL, if the request names none. */
export function usualKindOf(url: string): NotificationKind {
  return mailAddressOf(url) === undefined ? 'webhook' : 'email';
}

/** Returns true if notifications of this kind are sent to such a URL: an address for e-mail, else http or https. */
export function isUrlOfKind(url: string, kind: NotificationKind): boolean {
  return (mailAddressOf(url) !== undefined) === (kind === 'email');
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

const kind = z
  .enum(notificationKinds)
  .describe(
    '`webhook`: the message of this document, signed. `slack`, `teams`: a message for a channel; the URL is that of ' +
      'an incoming webhook there. `email`: the URL is `mailto:` and an address. Only `webhook` is signed',
  );

/** Events and filters of a notification; an event must match every given filter. */
const filterFields = {
  name: name.nullable().default(null),
  events: z
    .array(z.enum(subscribableEvents))
    .min(1)
    .max(subscribableEvents.length)
    .describe('`run.ended` stands for completed, cancelled, expired and failed'),
  campaigns: listOf(campaignId).describe('Only events of these campaigns; null: of all'),
  tags: listOf(tag).describe('Only events of campaigns with one of these tags'),
  owners: listOf(name).describe('Only events of campaigns, and keys, with one of these owners'),
  digest: digest
    .nullable()
    .default(null)
    .describe('Completed runs of recurring campaigns are reported together, and their starts are not reported'),
  enabled: z.boolean().default(true).describe('false: events of that time are never sent'),
};

export const notificationDefinition = z.object({ kind, ...filterFields });

export type NotificationDefinition = z.output<typeof notificationDefinition>;

const egress = z
  .strictObject({ allow: z.array(egressRule).max(maxOf).default([]) })
  .describe('Where its calls may go, set by operators; without rules: to any public address');

const exampleUrl = 'https://hooks.example.com/muster';

export const newNotification = z
  .strictObject({
    url: notificationUrl.describe('Target of calls; or `mailto:` and an address, if e-mail is set up'),
    kind: kind.optional().describe('Unless given: `email` for `mailto:`, else `webhook`. It cannot change later'),
    ...filterFields,
    egress: egress.optional(),
  })
  .meta({ id: 'NewNotification', examples: [{ url: exampleUrl, events: ['run.ended', 'run.paused', 'run.stalled'] }] });

export const notificationPatch = z
  .strictObject({
    url: notificationUrl.optional(),
    name: name.nullable().optional(),
    events: filterFields.events.optional(),
    campaigns: z.array(campaignId).min(1).max(maxOf).nullable().optional(),
    tags: z.array(tag).min(1).max(maxOf).nullable().optional(),
    owners: z.array(name).min(1).max(maxOf).nullable().optional(),
    digest: digest.nullable().optional(),
    enabled: z.boolean().optional(),
    egress: egress.optional(),
  })
  .meta({ id: 'NotificationPatch', examples: [{ tags: ['payday'] }] });

const time = z.iso.datetime({ precision: 3 });

export const notificationShape = z
  .object({
    id: z.string(),
    revision: z.int().min(1).describe('Increases with every change; the ETag'),
    url: z.string().describe('Without the part after the host, which may be a secret; an e-mail address is shown'),
    ...notificationDefinition.shape,
    egress,
    client: z.string().describe('cli_…, the client of its jobs, quarantined jobs and figures'),
    waiting: z.int().describe('Deliveries that are pending'),
    dead: z.int().describe('Deliveries whose calls all failed; they can be replayed'),
    lastSent: z.object({ at: time, event: z.string().nullable(), status: z.int().nullable() }).nullable(),
    createdAt: time,
    links: z.object({ self: z.string(), deliveries: z.string() }),
  })
  .meta({ id: 'Notification' });

export type NotificationShape = z.output<typeof notificationShape>;

const secret = z
  .string()
  .nullable()
  .describe(
    'whsec_…, shown only in this answer: signs the messages (Standard Webhooks); null: messages are not signed',
  );

export const createdNotification = z
  .object({ notification: notificationShape, secret })
  .meta({ id: 'CreatedNotification' });

export const secretRotation = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(90 * 86_400)
      .default(86_400)
      .describe('Seconds for which messages are signed with the previous secret too'),
  })
  .default({ overlapSeconds: 86_400 })
  .meta({ id: 'NotificationSecretRotation', examples: [{ overlapSeconds: 3600 }] });

export const deliveryStates = ['sent', 'dead', 'expired', 'cancelled'] as const;

export const notificationDelivery = z
  .object({
    id: z.string().describe('job_…, which is its webhook-id over all attempts'),
    event: z.string().nullable(),
    state: z.enum(deliveryStates),
    at: time.describe('Time at which it was accepted, or ended otherwise'),
    attempts: z.int(),
    status: z.int().nullable().describe('Status of the last answer'),
    cause: z.string().nullable(),
  })
  .meta({ id: 'NotificationDelivery' });

export type NotificationDelivery = z.output<typeof notificationDelivery>;
