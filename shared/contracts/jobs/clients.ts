import { z } from 'zod';
import { defaultEndpointShape, newDefaultEndpoint } from './client-endpoints.ts';

/** Never matches an id (`cli_…`), so that a request may name a client by either. */
export const clientNamePattern = /^[a-z0-9][a-z0-9.-]{0,62}$/;

export const clientName = z
  .string()
  .regex(clientNamePattern, 'has to be 1 to 63 small letters, digits, - and ., beginning with a letter or digit');

/** Limits and retention of a client. Every field has a default: a name is enough to create a client. */
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
};

export const clientDefinition = z.strictObject(clientFields);

export type ClientDefinition = z.output<typeof clientDefinition>;

/** Definition as read from storage. Unknown fields of newer versions are ignored; missing fields get their defaults. */
export const keptClientDefinition = z.object(clientFields);

export const newClient = z
  .strictObject({
    name: clientName,
    ...clientFields,
    endpoint: newDefaultEndpoint
      .prefault({})
      .describe('Its endpoint `default`, which jobs without an endpoint go through'),
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
    revision: z.int().min(1).describe('Moves with every change; the ETag'),
    ...clientFields,
    endpoint: defaultEndpointShape.describe('Its endpoint `default`; disabled, nothing is accepted for the client'),
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string(), endpoints: z.string(), ledger: z.string() }),
  })
  .meta({ id: 'Client' });

export type ClientShape = z.output<typeof clientShape>;
