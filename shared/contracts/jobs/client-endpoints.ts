import { z } from 'zod';
import { warning } from '../warnings.ts';
import { wordShape } from '../stored-texts.ts';
import { endpointName } from './call-terms.ts';
import { clientAuthShape } from './client-auth.ts';
import { defaultFields, ownFields } from './endpoint-terms.ts';
import { callUrl, invalidUrl } from './jobs.ts';
import { isTopicName, topicOf } from './topic-urls.ts';
import { refusals } from '../stated-rules.ts';

const receiverUrl = callUrl.refine(
  (url) => !/[?#]/.test(url),
  'must hold no query and no fragment: what opens a receiver is kept as auth',
);

export const endpointUrl = z
  .string()
  .superRefine((text, context) => {
    const topic = topicOf(text);
    const issues = topic === undefined ? (receiverUrl.safeParse(text).error?.issues ?? []) : [];
    for (const { message } of issues) context.addIssue({ ...invalidUrl, message, input: text });
    if (topic !== undefined && !isTopicName(topic)) {
      context.addIssue({ ...invalidUrl, message: 'has to be kafka: and the name of a topic', input: text });
    }
  })
  .meta({
    format: 'uri',
    pattern: '^(?:[Hh][Tt][Tt][Pp][Ss]?:[^?#]*|kafka:.*)$',
    ...refusals({
      'invalid-url': 'a URL has a user or a password, is none by RFC 3986, or names no topic',
      'forbidden-address': 'an egress rule forbids the address',
      'forbidden-topic': 'the installation does not let clients write to the topic',
    }),
  })
  .describe(
    'Of jobs that name the endpoint and no URL; those that have one go to the same server. kafka:<topic>: they are ' +
      'written to a topic that DISPATCHER_TARGET_TOPICS names',
  );

export const newEndpoint = z
  .strictObject({ name: endpointName, url: endpointUrl, ...ownFields })
  .meta({ id: 'NewClientEndpoint', examples: [{ name: 'billing', url: 'https://billing.example.com/hooks' }] });

/** Terms of `default`, as a request that creates its client may set them. */
export const newDefaultEndpoint = z
  .strictObject({ url: endpointUrl.nullable().default(null), ...defaultFields })
  .meta({ id: 'NewDefaultEndpoint', examples: [{ concurrency: 20 }] });

/** Changes to an endpoint; null resets a field to what a new one has (JSON merge patch of one level). */
export const endpointPatch = z
  .strictObject(
    Object.fromEntries(
      Object.entries({ url: endpointUrl, ...ownFields }).map(([field, shape]) => [field, z.nullable(shape).optional()]),
    ),
  )
  .meta({ id: 'ClientEndpointPatch', examples: [{ concurrency: 5 }] });

const time = z.iso.datetime({ precision: 3 });

export const clientKeyShape = z
  .object({ id: z.string(), createdAt: time, expiresAt: time.nullable() })
  .meta({ id: 'ClientKey' });

const shownFields = {
  name: z.string(),
  clientId: z.string(),
  revision: z.int().min(1).describe('Moves with every change; the ETag'),
  enabled: z
    .boolean()
    .describe('false: nothing is called through it, its jobs wait; of `default`: nothing is accepted or called at all'),
  disabledReason: z.string().nullable(),
  url: z.string().nullable().describe('null: each job has its own, as with `default`'),
  auth: clientAuthShape
    .nullable()
    .describe('What its calls are authorised with; null: as `default`. Secrets are never shown'),
  keys: z
    .array(clientKeyShape)
    .describe('What signs its calls, newest first; without any, as `default`. Secrets are never shown'),
  warnings: z.array(warning).describe('`unsigned`: its calls bear no signature, or none from some time on'),
  createdAt: time,
  updatedAt: time,
  links: z.object({ self: z.string(), client: z.string() }),
};

export const endpointShape = z.object({ ...shownFields, ...ownFields }).meta({ id: 'ClientEndpoint' });

/** The endpoint `default`: no field follows another endpoint. */
export const defaultEndpointShape = z.object({ ...shownFields, ...defaultFields }).meta({ id: 'DefaultEndpoint' });

export type EndpointShape = z.output<typeof endpointShape>;

const inADay = 86_400;

export const newClientKey = z
  .strictObject({
    secret: z.string().max(200).optional().describe('whsec_… as in Standard Webhooks; one is made unless given'),
    othersExpireInSeconds: z
      .int()
      .min(0)
      .max(90 * 86_400)
      .default(inADay)
      .describe('How long calls are signed with the older keys too: until receivers know the new one'),
  })
  .meta({ id: 'NewClientKey', examples: [{ othersExpireInSeconds: 3600 }] });

export const addedClientKey = z
  .object({
    key: clientKeyShape,
    secret: z.string().nullable().describe('Shown this once, where it was made here; null where it was given'),
    endpoint: endpointShape,
  })
  .meta({ id: 'AddedClientKey' });

/** Limited because every process holds all endpoints in memory, and each may have a call in flight. */
export const maxEndpointsOfClient = 100;

export const disabling = z
  .strictObject({
    reason: wordShape(500).optional(),
  })
  .default({})
  .meta({ id: 'Disabling', examples: [{ reason: 'the shop is closed' }] });
