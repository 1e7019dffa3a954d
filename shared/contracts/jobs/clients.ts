import { finalCodes, reportWithinSeconds, retryStrategy, timeoutMs } from './call-terms.ts';
import { z } from 'zod';
import { warning } from '../warnings.ts';
import { clientAuthShape } from './client-auth.ts';
import { wordShape } from '../stored-texts.ts';

/** Never matches an id (`cli_…`), so that a request may name a client by either. */
export const clientNamePattern = /^[a-z0-9][a-z0-9.-]{0,62}$/;

export const clientName = z
  .string()
  .regex(clientNamePattern, 'has to be 1 to 63 small letters, digits, - and ., beginning with a letter or digit');

const port = z.int().min(1).max(65_535);

/**
 * An allowed destination of a client's calls: every field of the rule must match. A `cidr` matches the address that the
 * host resolves to, and only a `cidr` allows private addresses.
 */
export const egressRule = z
  .strictObject({
    host: z
      .string()
      .regex(
        /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
        'has to be a host name in small letters, such as api.example.com or *.example.com',
      )
      .max(253)
      .optional()
      .describe('*.example.com stands for every name below it'),
    cidr: z.union([z.cidrv4(), z.cidrv6()]).optional(),
    port: port.optional().describe('Any unless given'),
  })
  .refine((rule) => Object.values(rule).some((value) => value !== undefined), 'has to name host, cidr or port')
  .meta({ minProperties: 1 });

export type EgressRule = z.output<typeof egressRule>;

/** Limits of a client and terms of its jobs. Every field has a default: a name is enough to create a client. */
export const clientFields = {
  maxStoredJobs: z.int().min(1).max(1_000_000_000).default(10_000_000).describe('Jobs that have not ended, at most'),
  acceptPerSecond: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'Jobs taken per second; no limit unless given. Its schedules together may recur as often in an hour, for all their groups; 1,000 a second unless given',
    ),
  maxSchedules: z.int().min(1).max(1_000_000).default(10_000).describe('Schedules that it has, whatever their state'),
  publishRatePerSecond: z
    .number()
    .min(0.1)
    .max(1_000_000)
    .optional()
    .describe('Jobs that begin to be called per second; no limit unless given. What is due above it waits'),
  concurrency: z.int().min(1).max(1000).default(50).describe('Calls in flight at once, over all dispatchers'),
  timeoutMs: timeoutMs.default(10_000),
  relevancySeconds: z
    .int()
    .min(1)
    .max(366 * 86_400)
    .optional()
    .describe('A job that was not called so long after its due time expires, unless it says otherwise itself'),
  deadJobsDays: z
    .int()
    .min(1)
    .max(36_500)
    .optional()
    .describe('For so many days its dead jobs are kept; as long as the installation keeps them unless given'),
  keepBodies: z
    .boolean()
    .default(true)
    .describe(
      'Bodies of its jobs are kept as long as what became of them; false: until they end, and such jobs cannot be sent again',
    ),
  retry: retryStrategy.prefault({ strategy: 'exponential' }),
  finalCodes: finalCodes.default([]),
  reportWithinSeconds: reportWithinSeconds.optional(),
  sealPaths: z
    .boolean()
    .default(false)
    .describe('Of its jobs’ URLs the path is a secret too, encrypted and never shown; queries always are'),
  egress: z
    .strictObject({ allow: z.array(egressRule).max(100).default([]) })
    .prefault({})
    .describe('Where calls may go; without rules: to any public address'),
  sideline: z
    .strictObject({
      afterFailures: z.int().min(1).max(1000).default(10).describe('Jobs for one host that fail; each counts once'),
      failureRate: z
        .number()
        .min(0.1)
        .max(1)
        .default(0.5)
        .describe('They have to be such a part of the jobs called there lately'),
      probeSeconds: z
        .int()
        .min(1)
        .max(3600)
        .default(30)
        .describe(
          'Between two tries while its jobs are sidelined: the first after a second, then ever longer up to this',
        ),
      pathPrefixes: z
        .array(
          z
            .string()
            .max(200)
            .regex(
              /^(\/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)+$/,
              'has to be the beginning of a path, whole elements without a / behind, such as /shop or /v1/orders',
            ),
        )
        .max(100)
        .default([])
        .describe('Put aside by themselves, as if each were a host: the longest that fits a URL counts'),
    })
    .prefault({})
    .describe('When the jobs for a host are put aside until it answers again'),
  onGone: z
    .enum(['dead-letter', 'sideline'])
    .default('dead-letter')
    .describe('What a 410 does: the job alone is given up, or all jobs for that host are put aside'),
};

export const clientDefinition = z.strictObject(clientFields);

export type ClientDefinition = z.output<typeof clientDefinition>;

/** Definition as read from storage. Unknown fields of newer versions are ignored; missing fields get their defaults. */
export const keptClientDefinition = z.object(clientFields);

export const newClient = z
  .strictObject({ name: clientName, ...clientFields })
  .meta({ id: 'NewClient', examples: [{ name: 'orders' }] });

/** Changes to a client; null resets a field to its default (JSON merge patch of one level). */
export const clientPatch = z
  .strictObject(
    Object.fromEntries(Object.entries(newClient.shape).map(([field, shape]) => [field, z.nullable(shape).optional()])),
  )
  .meta({ id: 'ClientPatch', examples: [{ relevancySeconds: 3600 }] });

const time = z.iso.datetime({ precision: 3 });

export const clientKeyShape = z
  .object({ id: z.string(), createdAt: time, expiresAt: time.nullable() })
  .meta({ id: 'ClientKey' });

export const clientShape = z
  .object({
    id: z.string(),
    name: z.string(),
    revision: z.int().min(1).describe('Moves with every change; the ETag'),
    enabled: z.boolean().describe('false: nothing is accepted for it and nothing is called; what is stored waits'),
    disabledReason: z.string().nullable(),
    ...clientFields,
    auth: clientAuthShape.nullable().describe('What dispatchers authorise its calls with; secrets are never shown'),
    keys: z.array(clientKeyShape).describe('What its calls are signed with, newest first; secrets are never shown'),
    warnings: z.array(warning).describe('`unsigned`: its calls bear no signature, or none from some time on'),
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string(), ledger: z.string() }),
  })
  .meta({ id: 'Client' });

export type ClientShape = z.output<typeof clientShape>;

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
    client: clientShape,
  })
  .meta({ id: 'AddedClientKey' });

export const disabling = z
  .strictObject({
    reason: wordShape(500).optional(),
  })
  .default({})
  .meta({ id: 'Disabling', examples: [{ reason: 'the shop is closed' }] });
