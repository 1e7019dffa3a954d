import { z } from 'zod';
import { templateNames } from '../../domain/job/call-template.ts';
import { priorities } from '../../domain/priorities.ts';
import { readTraceparent, readTracestate } from '../../domain/tracing/trace-context.ts';

const attempts = z.int().min(2).max(50).describe('Maximum calls of a job, including the first');
const hourMs = 3_600_000;

export const retryStrategy = z.discriminatedUnion('strategy', [
  z.strictObject({ strategy: z.literal('none') }),
  z.strictObject({
    strategy: z.literal('fixed'),
    attempts: attempts.default(5),
    delayMs: z
      .int()
      .min(100)
      .max(24 * hourMs)
      .default(10_000),
  }),
  z.strictObject({
    strategy: z
      .literal('exponential')
      .describe('Delays between calls: a random part of the first delay, which doubles with each call'),
    attempts: attempts.default(5),
    firstDelayMs: z.int().min(100).max(hourMs).default(1000),
    maxDelayMs: z
      .int()
      .min(100)
      .max(24 * hourMs)
      .default(hourMs),
  }),
]);

export const timeoutMs = z.int().min(100).max(60_000).describe('Time-out of a call, from connecting to the last byte');

export const finalCodes = z
  .array(z.int().min(300).max(599))
  .max(100)
  .describe('Status codes after which a job is dead at once, without further calls');

/** Deadline for a report after a 202. Without it, a 202 is a success like any 2xx. */
export const reportWithinSeconds = z
  .int()
  .min(1)
  .max(7 * 86_400)
  .describe(
    'Seconds within which the receiver has to report after it has answered 202; the answer may give a shorter time',
  );

/** Unique among the endpoints of a client. */
export const endpointName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9.-]{0,62}$/,
    'has to be 1 to 63 lowercase letters, digits, - and ., beginning with a letter or digit',
  );

/** Terms of a single job. Where the job has no term of its own, the term of its endpoint applies. */
export const ownTerms = {
  retry: retryStrategy.optional(),
  timeoutMs: timeoutMs.optional(),
  finalCodes: finalCodes.optional(),
  reportWithinSeconds: reportWithinSeconds.optional(),
};

export const jobPriority = z
  .enum(priorities)
  .describe(
    'Order among due jobs of the endpoint: high before normal before low; each priority has a guaranteed share',
  );

/** Template of a job: values for its body and its headers. Without a template, both are sent unchanged. */
const callTemplate = z.object({
  form: z.enum(['json', 'text']),
  /** Values in addition to those of every job. */
  values: z.partialRecord(z.enum(templateNames), z.string().max(512)),
});

export type CallTemplate = z.output<typeof callTemplate>;

/** W3C Trace Context of the request that submitted a job: the calls of the job continue that trace. */
const callerTrace = z.object({
  parent: z.string().refine((text) => readTraceparent(text) !== undefined),
  state: z
    .string()
    .refine((text) => readTracestate(text) !== undefined)
    .optional()
    .catch(undefined),
});

export type CallerTrace = z.output<typeof callerTrace>;

const kept = z.object({
  endpoint: z.uuid().optional().catch(undefined),
  endpointName: endpointName.optional().catch(undefined),
  /** Priority of the job. Normal priority is not stored, so the field is then absent. */
  priority: jobPriority.exclude(['normal']).optional().catch(undefined),
  retry: ownTerms.retry.catch(undefined),
  timeoutMs: ownTerms.timeoutMs.catch(undefined),
  finalCodes: ownTerms.finalCodes.catch(undefined),
  reportWithinSeconds: ownTerms.reportWithinSeconds.catch(undefined),
  template: callTemplate.optional().catch(undefined),
  trace: callerTrace.optional().catch(undefined),
});

export type OwnTerms = z.output<typeof kept>;

/**
 * Returns the terms as they are stored; null if a job has none, as most do. The endpoint comes first, because a
 * generated column of jobs reads it there. Another column reads the priority: no other field, at any depth, may have
 * that name.
 */
export function writeOwnTerms({
  endpoint,
  endpointName: ofEndpoint,
  priority,
  retry,
  timeoutMs: ofOneCall,
  finalCodes: codes,
  reportWithinSeconds: within,
  template,
  trace,
}: OwnTerms): string | null {
  const terms = {
    endpoint,
    endpointName: ofEndpoint,
    priority,
    retry,
    timeoutMs: ofOneCall,
    finalCodes: codes,
    reportWithinSeconds: within,
    template,
    trace,
  };
  return Object.values(terms).every((value) => value === undefined) ? null : JSON.stringify(terms);
}

/**
 * Reads stored terms. If another version wrote a field that this version cannot read, the term of the endpoint applies.
 */
export function readOwnTerms(terms: string | null): OwnTerms {
  return terms === null ? {} : kept.parse(JSON.parse(terms));
}
