import { z } from 'zod';

/** Error code of failed users, in an action's configuration. */
export const failureCode = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'has to be 1 to 64 letters, digits, dots, _ and -');
const path = z
  .string()
  .regex(
    /^[^.\s]+(\.[^.\s]+)*$/,
    'has to be names or places with dots between them, such as errors.0.code, or errors.*.code',
  );
const variable = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]*$/, 'has to be the name of an environment variable, such as SMS_TOKEN');
const literal = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const answerRule = z.strictObject({
  status: z
    .union([z.int().min(100).max(599), z.enum(['2xx', '3xx', '4xx', '5xx'])])
    .optional()
    .meta({ description: 'Status that the rule is for, such as 404 or `4xx`', usual: 'every status' }),
  path: path.optional().meta({
    description: 'Place in the JSON of the answer, or in the user’s entry of `perUser`. `*` is each entry of a list',
    usual: 'the whole answer',
  }),
  equals: z
    .union([literal, z.array(literal)])
    .optional()
    .meta({ description: 'Value at `path`, or several', usual: 'any value' }),
  listed: path.optional().meta({
    description: 'Place of a list of user ids: the rule is for the users in it',
    usual: 'all users of the request',
  }),
  is: z
    .enum(['succeeded', 'failed', 'retryable', 'unknown', 'misconfigured'])
    .describe(
      'What the answer means. `retryable`: nothing was applied. `unknown`: it may have been. `misconfigured`: nothing was ' +
        'applied, and a person has to change something: the step is held',
    ),
  code: failureCode.optional().meta({ description: 'Code of the users that failed', usual: '`http-<status>`' }),
  codePath: path.optional().meta({ description: 'Place of the code in the answer', usual: '`code`' }),
});

export type AnswerRule = z.infer<typeof answerRule>;

/**
 * A call to an API. With a preset, each field is optional and defaults to the preset's value. Without a preset, `url`
 * is required.
 */
export const apiCall = z.strictObject({
  method: z
    .enum(['POST', 'PUT', 'PATCH', 'DELETE', 'GET'])
    .optional()
    .meta({ description: 'Method of the request', usual: '`POST`' }),
  url: z.string().optional().meta({
    description: 'Address with [names](../connectors/single-calls.md) in path and query',
    usual: 'the preset’s',
  }),
  headers: z
    .record(z.string().regex(/^[\w-]+$/), z.string())
    .optional()
    .meta({ description: 'Headers of the request, with names', usual: 'none' }),
  headersEnv: z
    .record(z.string().regex(/^[\w-]+$/), variable)
    .optional()
    .meta({
      description: 'Headers whose values are secrets, with the environment variables that have them',
      usual: 'none',
    }),
  body: z.json().optional().meta({
    description: 'JSON body, with names in its texts. `{"forEachUser": …}` is a list with one entry for each user',
    usual: 'none',
  }),
  form: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Fields of a form, with names, in place of `body`', usual: 'none' }),
  usersPerCall: z.int().min(1).max(1000).optional().meta({ description: 'Maximum users in one request', usual: '`1`' }),
  idempotencyHeader: z
    .string()
    .regex(/^[\w-]+$/)
    .optional()
    .meta({ description: 'Header that gets `{{key}}`', usual: 'none' }),
  recognizesRepeats: z
    .boolean()
    .optional()
    .meta({
      description:
        'True if a repeated request has no second effect, such as by its `{{key}}`. Then a request without an answer is ' +
        'repeated. Otherwise its users end as unknown',
      usual: '`false`',
    }),
  perUser: z
    .strictObject({
      list: path.describe('Place of the list with an entry for each user'),
      id: path
        .optional()
        .meta({ description: 'Place of the user id in an entry', usual: 'entries are in the order of the users' }),
    })
    .optional()
    .meta({ description: 'Entries of the answer by user', usual: 'the answer is about all users of the request' }),
  answers: z.array(answerRule).max(50).optional().meta({
    description: 'Rules for answers; the first one that fits a user counts',
    usual: 'what [the contract](../contracts.md#what-a-whole-answer-means) says',
  }),
  concurrency: z
    .int()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Requests of each process at once', usual: '`8`' }),
  perSecond: z
    .number()
    .positive()
    .max(100_000)
    .optional()
    .meta({ description: 'Requests per second, of all processes together', usual: 'as many as `concurrency` allows' }),
  pauseSeconds: z.int().min(1).max(3600).optional().meta({
    description: 'Pause of the action after 429 or 503 without `Retry-After`',
    usual: '`1`',
  }),
  timeoutSeconds: z
    .number()
    .min(0.1)
    .max(60)
    .optional()
    .meta({ description: 'Maximum duration of a request', usual: '`4`' }),
});

export type ApiCall = z.infer<typeof apiCall>;
