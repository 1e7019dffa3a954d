import { z } from 'zod';
import { actionTypePattern, countryPattern } from '../../domain/endpoint/shard.ts';
import { actionTypeConfig } from './action-type-config.ts';
import { service } from './called-service.ts';

/**
 * Addresses and promises of the services that Muster calls (docs/configuration.md), read from the JSON file that
 * `MUSTER_CONFIG` names. Secrets are in the environment; the file only contains the names of their variables.
 */
export const engineConfig = z.strictObject({
  countries: z
    .array(z.string().regex(countryPattern, 'has to be two capital letters, such as SG'))
    .min(1)
    .superRefine((countries, context) => {
      const repeated = new Set(countries.filter((country, index) => countries.indexOf(country) < index));
      for (const country of repeated) context.addIssue(`names ${country} more than once`);
    })
    .optional()
    .describe(
      'Countries that this process serves. Without it, a campaign may name any country, and the segmentation service ' +
        'reports whether it has the segment there',
    ),
  segmentation: service
    .extend({
      pageSize: z
        .int()
        .min(100)
        .max(10_000)
        .default(1000)
        .describe('Users requested per page, unless the service allows more (`maxLimit`)'),
    })
    .describe('Service that lists the users of a segment'),
  actionTypes: z
    .record(z.string().regex(actionTypePattern), actionTypeConfig)
    .default({})
    .describe('Initial content of the registry of action types, by name'),
  partitionsPerShard: z
    .int()
    .min(1)
    .max(1000)
    // With more partitions, a single worker makes more fetches, each with fewer messages.
    .default(2)
    .describe('Maximum number of workers that share a new shard; `muster shards set` raises it'),
  replicationFactor: z
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe('Replication factor of every topic. Default: 3 with at least three brokers'),
});

export type EngineConfig = z.infer<typeof engineConfig>;

/** Action types and countries that campaigns may use; any country if none are given. */
export type Catalogue = Pick<EngineConfig, 'countries' | 'actionTypes'> & {
  /** Currency of the installation, for budgets in money; budgets in money are refused without it. */
  currency?: string | null;
};
