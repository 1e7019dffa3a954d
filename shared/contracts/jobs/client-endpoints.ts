import { z } from 'zod';
import { endpointName, finalCodes, reportWithinSeconds, retryStrategy, timeoutMs } from './call-terms.ts';
import { clientAuthShape } from './client-auth.ts';
import { clientFields, clientKeyShape } from './clients.ts';
import { callUrl, invalidUrl } from './jobs.ts';
import { isTopicName, topicOf } from './topic-urls.ts';
import { refusals } from '../stated-rules.ts';

/** Settings of an endpoint. The settings of its client apply where the endpoint has none. */
const endpointFields = {
  publishRatePerSecond: clientFields.publishRatePerSecond.describe('Its jobs that begin to be called per second'),
  concurrency: clientFields.concurrency
    .unwrap()
    .optional()
    .describe('Its calls in flight at once, over all dispatchers: beside those of its client’s other endpoints'),
  timeoutMs: timeoutMs.optional(),
  retry: retryStrategy.optional(),
  finalCodes: finalCodes.optional(),
  reportWithinSeconds: reportWithinSeconds.optional(),
  sideline: clientFields.sideline
    .unwrap()
    .optional()
    .describe('When its jobs for a host are put aside until that answers again; those of others are not'),
  onGone: clientFields.onGone.unwrap().optional().describe('What a 410 does'),
};

export const endpointTerms = z.strictObject(endpointFields);

export type EndpointTerms = z.output<typeof endpointTerms>;

/** Terms as they are read from storage: fields that a newer version may have written are ignored. */
export const keptEndpointTerms = z.object(endpointFields);

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
  .strictObject({ name: endpointName, url: endpointUrl, ...endpointFields })
  .meta({ id: 'NewClientEndpoint', examples: [{ name: 'billing', url: 'https://billing.example.com/hooks' }] });

/** Changes to an endpoint; null resets a field to the client's value (JSON merge patch of one level). */
export const endpointPatch = z
  .strictObject(
    Object.fromEntries(
      Object.entries({ url: endpointUrl, ...endpointFields }).map(([field, shape]) => [
        field,
        z.nullable(shape).optional(),
      ]),
    ),
  )
  .meta({ id: 'ClientEndpointPatch', examples: [{ concurrency: 5 }] });

const time = z.iso.datetime({ precision: 3 });

export const endpointShape = z
  .object({
    name: z.string(),
    clientId: z.string(),
    revision: z.int().min(1).describe('Moves with every change; the ETag'),
    enabled: z.boolean().describe('false: nothing is called through it; its jobs wait'),
    disabledReason: z.string().nullable(),
    url: z.string(),
    ...endpointFields,
    auth: clientAuthShape.nullable().describe('Its own; null: as its client has it'),
    keys: z.array(clientKeyShape).describe('Its own, newest first; without any, its client’s sign its calls'),
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string(), client: z.string() }),
  })
  .meta({ id: 'ClientEndpoint' });

export type EndpointShape = z.output<typeof endpointShape>;

export const addedEndpointKey = z
  .object({
    key: clientKeyShape,
    secret: z.string().nullable().describe('Shown this once, where it was made here; null where it was given'),
    endpoint: endpointShape,
  })
  .meta({ id: 'AddedClientEndpointKey' });

/** Limited because every process holds all endpoints in memory, and each may have a call in flight. */
export const maxEndpointsOfClient = 100;
