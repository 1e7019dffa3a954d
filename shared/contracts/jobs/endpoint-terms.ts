import { z } from 'zod';
import { finalCodes, reportWithinSeconds, retryStrategy, timeoutMs } from './call-terms.ts';

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
        'has to be a host name in lowercase, such as api.example.com or *.example.com',
      )
      .max(253)
      .optional()
      .describe('*.example.com matches every name below it'),
    cidr: z.union([z.cidrv4(), z.cidrv6()]).optional(),
    port: port.optional().describe('Default: any port'),
  })
  .refine((rule) => Object.values(rule).some((value) => value !== undefined), 'has to name host, cidr or port')
  .meta({ minProperties: 1 });

export type EgressRule = z.output<typeof egressRule>;

/** Terms of the calls through `default`, the endpoint of jobs that name none. Every field has a default. */
export const defaultFields = {
  publishRatePerSecond: z
    .number()
    .min(0.1)
    .max(1_000_000)
    .optional()
    .describe('Jobs started per second; default: no limit. Further due jobs wait'),
  concurrency: z
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .describe('Concurrent calls over all dispatchers, in addition to those of the client’s other endpoints'),
  timeoutMs: timeoutMs.default(10_000),
  retry: retryStrategy.prefault({ strategy: 'exponential' }),
  finalCodes: finalCodes.default([]),
  reportWithinSeconds: reportWithinSeconds.optional(),
  sealPaths: z
    .boolean()
    .default(false)
    .describe('true: paths of URLs are treated as secrets, encrypted and never returned. Queries always are'),
  egress: z
    .strictObject({ allow: z.array(egressRule).max(100).default([]) })
    .prefault({})
    .describe('Allowed destinations of calls; without rules: any public address'),
  sideline: z
    .strictObject({
      afterFailures: z
        .int()
        .min(1)
        .max(1000)
        .default(10)
        .describe('Number of failed jobs of one host; each job counts once'),
      failureRate: z
        .number()
        .min(0.1)
        .max(1)
        .default(0.5)
        .describe('Share of recently called jobs of the host that must have failed'),
      probeSeconds: z
        .int()
        .min(1)
        .max(3600)
        .default(30)
        .describe(
          'Longest time between attempts while jobs are sidelined. The first attempt follows after a second, later ones after growing delays',
        ),
      pathPrefixes: z
        .array(
          z
            .string()
            .max(200)
            .regex(
              /^(\/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)+$/,
              'has to be the beginning of a path: whole segments without a trailing slash, such as /shop or /v1/orders',
            ),
        )
        .max(100)
        .default([])
        .describe('Path prefixes with their own circuit, like hosts. The longest prefix that matches a URL applies'),
    })
    .prefault({})
    .describe('Conditions under which the jobs of a host are sidelined until it answers again'),
  onGone: z
    .enum(['dead-letter', 'sideline'])
    .default('dead-letter')
    .describe('Effect of a 410: only the job is dead, or all jobs of the host are sidelined'),
};

/** Terms of any other endpoint. If a term is absent, the term of `default` applies. */
export const ownFields = {
  publishRatePerSecond: defaultFields.publishRatePerSecond,
  concurrency: defaultFields.concurrency.unwrap().optional(),
  timeoutMs: defaultFields.timeoutMs.unwrap().optional(),
  retry: defaultFields.retry.unwrap().optional(),
  finalCodes: defaultFields.finalCodes.unwrap().optional(),
  reportWithinSeconds: defaultFields.reportWithinSeconds,
  sealPaths: defaultFields.sealPaths.unwrap().optional(),
  egress: defaultFields.egress.unwrap().optional(),
  sideline: defaultFields.sideline.unwrap().optional(),
  onGone: defaultFields.onGone.unwrap().optional(),
};

export const defaultTerms = z.strictObject(defaultFields);

export type DefaultTerms = z.output<typeof defaultTerms>;

/** Terms as read from storage. Unknown fields of newer versions are ignored; missing fields get their defaults. */
export const keptDefaultTerms = z.object(defaultFields);

export const endpointTerms = z.strictObject(ownFields);

export type EndpointTerms = z.output<typeof endpointTerms>;

/** Terms as read from storage: fields that a newer version may have written are ignored. */
export const keptEndpointTerms = z.object(ownFields);
