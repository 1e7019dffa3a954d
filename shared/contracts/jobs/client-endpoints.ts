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
  'must not contain a query or fragment: set credentials of the receiver as auth',
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
      'invalid-url': 'a URL has a user or a password, is not a URL by RFC 3986, or names no topic',
      'forbidden-address': 'an egress rule forbids the address',
      'forbidden-topic': 'the installation does not allow clients to write to the topic',
    }),
  })
  .describe(
    'URL of jobs without their own; a job’s own URL has to be on the same server. kafka:<topic>: jobs are ' +
      'written to the topic, which DISPATCHER_TARGET_TOPICS has to name',
  );

export const newEndpoint = z
  .strictObject({ name: endpointName, url: endpointUrl, ...ownFields })
  .meta({ id: 'NewClientEndpoint', examples: [{ name: 'billing', url: 'https://billing.example.com/hooks' }] });

/** Terms of `default`, as a request that creates its client may set them. */
export const newDefaultEndpoint = z
  .strictObject({ url: endpointUrl.nullable().default(null), ...defaultFields })
  .meta({ id: 'NewDefaultEndpoint', examples: [{ concurrency: 20 }] });

/** Changes to an endpoint; null resets a field to its value in a new endpoint (JSON merge patch of one level). */
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

const displayedFields = {
  name: z.string(),
  clientId: z.string(),
  revision: z.int().min(1).describe('Increases with every change; the ETag'),
  enabled: z.boolean().describe('false: its jobs wait. For `default`: the client accepts and calls no jobs at all'),
  disabledReason: z.string().nullable(),
  url: z.string().nullable().describe('null: each job has its own URL, as with `default`'),
  auth: clientAuthShape
    .nullable()
    .describe('Credentials of its calls; null: those of `default`. Secrets are never returned'),
  keys: z
    .array(clientKeyShape)
    .describe('Keys that sign its calls, newest first; empty: those of `default`. Secrets are never returned'),
  warnings: z.array(warning).describe('`unsigned`: its calls are not signed, or will not be from the given time on'),
  createdAt: time,
  updatedAt: time,
  links: z.object({ self: z.string(), client: z.string() }),
};

export const endpointShape = z.object({ ...displayedFields, ...ownFields }).meta({ id: 'ClientEndpoint' });

/** The endpoint `default`. None of its fields falls back to another endpoint. */
export const defaultEndpointShape = z.object({ ...displayedFields, ...defaultFields }).meta({ id: 'DefaultEndpoint' });

export type EndpointShape = z.output<typeof endpointShape>;

const inADay = 86_400;

export const newClientKey = z
  .strictObject({
    secret: z.string().max(200).optional().describe('whsec_… as in Standard Webhooks. Default: a generated secret'),
    othersExpireInSeconds: z
      .int()
      .min(0)
      .max(90 * 86_400)
      .default(inADay)
      .describe(
        'Time for which calls are also signed with the older keys, so that receivers can change to the new one',
      ),
  })
  .meta({ id: 'NewClientKey', examples: [{ othersExpireInSeconds: 3600 }] });

export const addedClientKey = z
  .object({
    key: clientKeyShape,
    secret: z
      .string()
      .nullable()
      .describe('The generated secret, shown only in this answer; null if the request contained it'),
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
