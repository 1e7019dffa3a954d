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

/** Terms of the calls through `default`, which jobs without an endpoint go through. Every field has a default. */
export const defaultFields = {
  publishRatePerSecond: z
    .number()
    .min(0.1)
    .max(1_000_000)
    .optional()
    .describe('Jobs that begin to be called per second; no limit unless given. What is due above it waits'),
  concurrency: z
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .describe('Calls in flight at once, over all dispatchers, beside those of its client’s other endpoints'),
  timeoutMs: timeoutMs.default(10_000),
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

/** Terms of another endpoint: the terms of `default` apply where it has none. */
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
