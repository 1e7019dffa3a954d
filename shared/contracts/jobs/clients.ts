import { z } from 'zod';
import { defaultEndpointShape, newDefaultEndpoint } from './client-endpoints.ts';

/** Never matches an id (`cli_…`), so that a request may name a client by its name or its id. */
export const clientNamePattern = /^[a-z0-9][a-z0-9.-]{0,62}$/;

export const clientName = z
  .string()
  .regex(clientNamePattern, 'has to be 1 to 63 lowercase letters, digits, - and ., beginning with a letter or digit');

/** Limits and retention of a client. Every field has a default: a name is enough to create a client. */
export const clientFields = {
  maxStoredJobs: z.int().min(1).max(1_000_000_000).default(10_000_000).describe('Maximum number of open jobs'),
  acceptPerSecond: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'Accepted jobs per second; default: no limit. All its schedules and groups together may fire this often, averaged over an hour; default: 1,000 per second',
    ),
  maxSchedules: z.int().min(1).max(1_000_000).default(10_000).describe('Maximum number of schedules in any state'),
  relevancySeconds: z
    .int()
    .min(1)
    .max(366 * 86_400)
    .optional()
    .describe('Seconds after the due time at which a job that was not called expires; a job can set its own'),
  deadJobsDays: z
    .int()
    .min(1)
    .max(36_500)
    .optional()
    .describe('Days for which its dead jobs are kept. Default: the setting of the installation'),
  keepBodies: z
    .boolean()
    .default(true)
    .describe(
      'true: bodies are kept as long as the outcomes. false: bodies are deleted when their job ends, so the job cannot be sent again',
    ),
};

export const clientDefinition = z.strictObject(clientFields);

export type ClientDefinition = z.output<typeof clientDefinition>;

/** Definition as read from storage. Unknown fields of newer versions are ignored; missing fields get their defaults. */
export const keptClientDefinition = z.object(clientFields);

export const newClient = z
  .strictObject({
    name: clientName,
    ...clientFields,
    endpoint: newDefaultEndpoint.prefault({}).describe('Endpoint `default`, used by jobs without an endpoint'),
  })
  .meta({ id: 'NewClient', examples: [{ name: 'orders', endpoint: { concurrency: 20 } }] });

/** Changes to a client; null resets a field to its default (JSON merge patch of one level). */
export const clientPatch = z
  .strictObject(
    Object.fromEntries(
      Object.entries({ name: clientName, ...clientFields }).map(([field, shape]) => [
        field,
        z.nullable(shape).optional(),
      ]),
    ),
  )
  .meta({ id: 'ClientPatch', examples: [{ relevancySeconds: 3600 }] });

const time = z.iso.datetime({ precision: 3 });

export const clientShape = z
  .object({
    id: z.string(),
    name: z.string(),
    revision: z.int().min(1).describe('Increases with every change; the ETag'),
    ...clientFields,
    endpoint: defaultEndpointShape.describe('Endpoint `default`; if it is disabled, the client accepts no jobs'),
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string(), endpoints: z.string(), ledger: z.string() }),
  })
  .meta({ id: 'Client' });

export type ClientShape = z.output<typeof clientShape>;
