import { z } from 'zod';
import { endpointName, jobPriority, ownTerms } from './call-terms.ts';
import { checkTimes, dueFields, longestDelaySeconds, severalTimes, timeRules } from './due-times.ts';
import { fieldProblem } from '../field-problems.ts';
import { isHttpUri, noUri } from '../uris.ts';
import { json } from '../json.ts';
import { checkOrdering, jobKey, orderingFields } from './job-keys.ts';
import { isStorable } from '../../domain/ids/stored-text.ts';
import { forbids, refusals, storedText, withCode, without } from '../stated-rules.ts';
import { reservedHeaderRule, whyReserved } from './reserved-headers.ts';
import { sealedMark } from './stored-calls.ts';

const unstorable = 'must hold neither U+0000 nor half a surrogate pair';

export const maxBulkJobs = 5000;
/** Maximum values, inclusive. */
export const jobLimits = {
  bodyBytes: 64 * 1024,
  headerBytes: 8 * 1024,
  delaySeconds: longestDelaySeconds,
  relevancySeconds: 366 * 86_400,
  jitterSeconds: 86_400,
  clientLength: 63,
  urlLength: 2048,
  tags: 16,
} as const;

export const jobMethods = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'] as const;

export const jobTagPattern = /^[A-Za-z0-9._:/=@-]{1,64}$/;

export const jobTag = z.string().regex(jobTagPattern, 'has to be 1 to 64 letters, digits and . _ : / = @ -');

const headerValue = z.string().meta({ pattern: String.raw`^[\t\x20-\x7e]*$` });

const headers = z
  .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'has to be the name of a header'), headerValue)
  .superRefine((value, context) => {
    let bytes = 0;
    for (const [name, text] of Object.entries(value)) {
      bytes += name.length + text.length;
      const message = whyReserved(name);
      if (message !== undefined) {
        context.addIssue({ code: 'custom', path: [name], message, input: text, params: { code: 'reserved-header' } });
      } else if (!/^[\t\x20-\x7e]*$/.test(text)) {
        context.addIssue({ code: 'custom', path: [name], message: 'has to be visible ASCII', input: text });
      }
    }
    if (bytes > jobLimits.headerBytes)
      context.addIssue({
        code: 'custom',
        message: `headers are ${bytes} bytes together, at most ${jobLimits.headerBytes} are kept`,
        params: { code: 'too-many-bytes' },
      });
  })
  .describe('In addition to those set by Muster: content-length, webhook-* and muster-*')
  .meta(
    refusals({
      'reserved-header': reservedHeaderRule,
      'too-many-bytes': `headers are over ${jobLimits.headerBytes} bytes, or a body over ${jobLimits.bodyBytes} bytes of UTF-8 or of JSON`,
    }),
  );

/** Issue of a URL that matches the pattern and is still invalid. */
export const invalidUrl = { code: 'custom', params: { code: 'invalid-url' } } as const;

export const callUrl = z
  .string()
  .max(jobLimits.urlLength)
  .superRefine((text, context) => {
    const parsed = URL.parse(text);
    if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
      context.addIssue({ ...invalidUrl, message: 'has to be an http:// or https:// URL', input: text });
    } else if (text.includes(sealedMark)) {
      context.addIssue({ ...invalidUrl, message: `must not hold ${sealedMark}`, input: text });
    } else if (parsed.username !== '' || parsed.password !== '') {
      context.addIssue({ ...invalidUrl, message: 'must not contain user and password: send a header', input: text });
    } else if (!isHttpUri(text)) {
      context.addIssue({ ...invalidUrl, message: `${noUri}, not ${JSON.stringify(text)}`, input: text });
    }
  })
  .meta({
    format: 'uri',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?:',
    ...refusals({
      'invalid-url': 'a URL has a user or a password, or is not a URL by RFC 3986',
      'forbidden-address': 'an egress rule forbids the address',
    }),
  });

const text = z
  .string()
  .refine(isStorable, unstorable)
  .meta(storedText)
  .refine((value) => value.length * 3 <= jobLimits.bodyBytes || Buffer.byteLength(value) <= jobLimits.bodyBytes, {
    ...withCode('too-many-bytes', `has to be at most ${jobLimits.bodyBytes} bytes`),
  });

const jsonBody = z
  .union([z.record(z.string(), json), z.array(json), z.number(), z.boolean(), z.null()])
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= jobLimits.bodyBytes,
    withCode('too-many-bytes', `has to be at most ${jobLimits.bodyBytes} bytes as JSON`),
  );

export const time = z.iso.datetime({ precision: 3 });
export const clientRef = z
  .string()
  .min(1)
  .max(jobLimits.clientLength)
  .describe('Id (cli_…) or name of the client')
  .meta({ ...storedText, ...refusals({ 'unknown-client': 'no client has this id or name' }) });

const call = {
  method: z.enum(jobMethods).default('POST'),
  headers: headers.optional(),
  body: z.union([text, jsonBody]).optional().describe('A string is sent as it is, any other value as JSON'),
};

const callTarget = {
  endpoint: endpointName
    .optional()
    .describe(
      'Endpoint of the client, whose concurrency, rate, secrets and circuits apply to the call. Default: `default`',
    )
    .meta(
      refusals({
        'unknown-endpoint': 'the client has no endpoint of this name',
        missing: 'neither the call nor its endpoint `default` has a URL',
        'other-origin': 'a URL is on another server than the endpoint’s URL',
      }),
    ),
  url: callUrl.optional().describe('Required without an endpoint. Default: the URL of the endpoint'),
};

export const template = z
  .boolean()
  .optional()
  .describe('true: names such as {{jobId}} in the body and in header values are filled in at each call')
  .meta(
    refusals({
      'unknown-name': 'a template contains a name that no call has',
      'no-value': 'a template contains a name for which this call has no value',
      'not-json': 'a JSON template is not valid JSON after filling',
      'too-long': 'a template may exceed the maximum length after filling',
    }),
  );

/** For the OpenAPI document: a call needs an endpoint, a URL, or a URL with the terms of an endpoint. */
export const withoutTarget = without('endpoint', 'url');

const jobFields = {
  ...dueFields,
  ...call,
  template,
  ...callTarget,
  idempotencyKey: jobKey.optional(),
  relevancySeconds: z
    .int()
    .min(1)
    .max(jobLimits.relevancySeconds)
    .optional()
    .describe(
      'Seconds after the due time at which the job expires if it was not called. Default: the client’s setting',
    ),
  tags: z.array(jobTag).max(jobLimits.tags).optional().describe('Tags to find the job by'),
  jitterSeconds: z
    .int()
    .min(1)
    .max(jobLimits.jitterSeconds)
    .optional()
    .describe('Spreads due times: the job is due at its own moment within this many seconds after its time'),
  ...orderingFields,
  priority: jobPriority.optional(),
  ...ownTerms,
};

/** A job; due now if the request gives no time. */
export const newJob = jobOf(clientRef).meta({
  id: 'NewJob',
  examples: [
    { client: 'shop', url: 'https://shop.example.com/remind', delaySeconds: 600, body: { order: 17 } },
    {
      client: 'shop',
      url: 'https://shop.example.com/remind',
      idempotencyKey: 'order-18',
      template: true,
      body: { order: '{{key}}', meantFor: '{{scheduledFor}}', attempt: '{{attempt}}' },
    },
    { client: 'shop', url: 'https://shop.example.com/refund', priority: 'high', body: { order: 17 } },
  ],
});

export type NewJob = z.output<typeof newJob>;

function jobOf<Client extends z.ZodType>(client: Client) {
  return z
    .strictObject({ client, ...jobFields })
    .superRefine(checkTimes)
    .superRefine(checkOrdering)
    .superRefine(checkTarget)
    .meta({
      ...forbids(...severalTimes, withoutTarget),
      dependentRequired: { ...timeRules.dependentRequired, ordering: ['orderingKey'] },
    });
}

interface RequestedTarget {
  endpoint?: string | undefined;
  url?: string | undefined;
}

export function checkTarget(fields: RequestedTarget, context: z.core.$RefinementCtx): void {
  if (fields.endpoint !== undefined || fields.url !== undefined) return;
  const message = 'is missing: it is required without an endpoint';
  context.addIssue({ code: 'custom', path: ['url'], message, input: fields });
}

const jobOfMany = jobOf(clientRef.optional()).meta({ id: 'JobOfMany' });

/** Several jobs. The API reads `jobs` one by one, so that an invalid job does not affect the others. */
export const newJobs = z
  .strictObject({
    client: clientRef.optional().describe('Client of all jobs that do not name one'),
    jobs: z.array(jobOfMany).min(1).max(maxBulkJobs),
  })
  .meta({
    id: 'NewJobs',
    examples: [
      { client: 'shop', jobs: [{ url: 'https://shop.example.com/remind', dueAt: '2026-12-01T09:00:00+08:00' }] },
    ],
  });

const warning = z.object({ code: z.string(), detail: z.string() });

export const acceptedJob = z
  .object({
    id: z.string(),
    clientId: z.string(),
    dueAt: time
      .nullable()
      .describe('null if the job is sidelined or has ended; with an orderingKey, its turn may come later'),
    duplicate: z.boolean().describe('true: the key was used before, and this is the job of that request'),
    warnings: z.array(warning),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'AcceptedJob' });

export type AcceptedJob = z.output<typeof acceptedJob>;

export const jobResult = z.discriminatedUnion('status', [
  z.object({ status: z.literal('accepted'), id: z.string(), warnings: z.array(warning).optional() }),
  z.object({ status: z.literal('duplicate'), id: z.string() }),
  z.object({ status: z.literal('refused'), errors: z.array(fieldProblem) }),
  z
    .object({ status: z.literal('unknown'), errors: z.array(fieldProblem) })
    .describe('The connection to the database was lost. Repeat the job with its key; it is stored only once'),
]);

export type JobResult = z.output<typeof jobResult>;

export const jobResults = z
  .object({
    accepted: z.int(),
    duplicates: z.int(),
    refused: z.int(),
    unknown: z.int(),
    results: z.array(jobResult).describe('One result for each job, in the order of the request'),
  })
  .meta({ id: 'JobResults' });
