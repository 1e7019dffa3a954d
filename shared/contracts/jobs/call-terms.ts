import { z } from 'zod';
import { templateNames } from '../../domain/job/call-template.ts';
import { priorities } from '../../domain/priorities.ts';
import { readTraceparent, readTracestate } from '../../domain/tracing/trace-context.ts';

/** How a job is called, as its client says it, or the job itself. */
const attempts = z.int().min(2).max(50).describe('Calls of one job, the first included');
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
    strategy: z.literal('exponential').describe('A random part of the first delay, twice that, four times that, …'),
    attempts: attempts.default(5),
    firstDelayMs: z.int().min(100).max(hourMs).default(1000),
    maxDelayMs: z
      .int()
      .min(100)
      .max(24 * hourMs)
      .default(hourMs),
  }),
]);

export const timeoutMs = z.int().min(100).max(60_000).describe('Of one call, from connecting to the last byte');

export const finalCodes = z
  .array(z.int().min(300).max(599))
  .max(100)
  .describe('Answers after which a job is given up at once: calling it again would change nothing');

/** Opts in: without it a 202 is a success as any 2xx. */
export const reportWithinSeconds = z
  .int()
  .min(1)
  .max(7 * 86_400)
  .describe('A call that is answered 202 is not over: its receiver reports within so long, or as soon as it says');

/** Unique among those of its client. */
export const endpointName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9.-]{0,62}$/,
    'has to be 1 to 63 small letters, digits, - and ., beginning with a letter or digit',
  );

/** What a job may say for itself; what it does not say is its endpoint's or its client's. */
export const ownTerms = {
  retry: retryStrategy.optional(),
  timeoutMs: timeoutMs.optional(),
  finalCodes: finalCodes.optional(),
  reportWithinSeconds: reportWithinSeconds.optional(),
};

export const jobPriority = z
  .enum(priorities)
  .describe(
    'Of what is due of its client, or of its endpoint, high goes before normal and that before low; each has a share',
  );

/** What its body and the values of its headers are filled with; they are sent as they are without one. */
const callTemplate = z.object({
  /** Of its body. */
  form: z.enum(['json', 'text']),
  /** Beside what every job has when it is called. */
  values: z.partialRecord(z.enum(templateNames), z.string().max(512)),
});

export type CallTemplate = z.output<typeof callTemplate>;

/** W3C Trace Context of the request that brought a job: its calls go on with that trace. */
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
  /** Its id. */
  endpoint: z.uuid().optional().catch(undefined),
  endpointName: endpointName.optional().catch(undefined),
  /** Never normal, which is not said. */
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
 * Null where a job says nothing, as most do. The endpoint comes first: a column of jobs reads it there. Another reads
 * the priority: no other field, at whatever depth, has its name.
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

/** As they are stored: another version may have written them, and what cannot be read is the client's. */
export function readOwnTerms(terms: string | null): OwnTerms {
  return terms === null ? {} : kept.parse(JSON.parse(terms));
}
